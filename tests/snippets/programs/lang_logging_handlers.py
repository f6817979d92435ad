import logging
import sys

log = logging.getLogger("demo")
log.setLevel(logging.DEBUG)
handler = logging.StreamHandler(sys.stdout)
handler.setLevel(logging.INFO)
handler.setFormatter(logging.Formatter("[%(levelname)s] %(message)s"))
log.addHandler(handler)
log.propagate = False
log.debug("no")
log.info("yes")
try:
    1 / 0
except ZeroDivisionError as e:
    log.error("failed: %s", e)
print(log.hasHandlers())
