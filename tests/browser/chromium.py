"""Opens a page in a headless Chromium (Qt WebEngine, of PySide6-Addons), steps through all of it by keyboard, and
prints what is seen there as JSON: `python -m tests.browser.chromium PAGE.html`. A process of its own, for the browser
has many that no test could follow."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["QTWEBENGINE_CHROMIUM_FLAGS"] = "--no-sandbox --disable-gpu"

from PySide6.QtCore import QUrl
from PySide6.QtWebEngineCore import QWebEnginePage, QWebEngineUrlRequestInfo, QWebEngineUrlRequestInterceptor
from PySide6.QtWebEngineWidgets import QWebEngineView
from PySide6.QtWidgets import QApplication

LOOK = """(() => {
  const shown = (node) => getComputedStyle(node).display !== "none";
  const seen = [...document.querySelectorAll("#picture text")].filter((node) => !node.closest(".off"));
  const texts = seen.map((node) => node.textContent);
  const cells = (row) => [...row.children].map((cell) => cell.textContent);
  const rows = [...document.querySelectorAll("#rows tr")].map(cells);
  const at = document.querySelector("#code li.now");
  return JSON.stringify({
    title: document.getElementById("title").textContent, sentence: document.getElementById("sentence").textContent,
    rows, texts, line: at ? Number(at.id.slice(1)) : -1, slider: Number(document.getElementById("slider").value),
    last: Number(document.getElementById("slider").max), document: document.title,
    printed: [...document.querySelectorAll("#printed span")].filter(shown).map((node) => node.textContent).join(""),
    wide: document.documentElement.scrollWidth > innerWidth, theme: getComputedStyle(document.body).backgroundColor,
    embedded: document.body.className,
  });
})()"""
PRESS = """document.body.dispatchEvent(new KeyboardEvent("keydown", {{key: {key}, bubbles: true, cancelable: true}}))"""


class Watch(QWebEngineUrlRequestInterceptor):
    """Notes what a page asks for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def interceptRequest(self, info: QWebEngineUrlRequestInfo) -> None:
        self.asked.append(info.requestUrl().toString())


class Page(QWebEnginePage):
    """Notes what a page says on its console."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[str] = []

    def javaScriptConsoleMessage(self, level: Any, message: str, line: int, source: str) -> None:
        self.messages.append(f"{message} ({line})")


class Browser:
    """One page, without a screen."""

    def __init__(self, size: tuple[int, int] = (1280, 800)) -> None:
        self.application = QApplication.instance() or QApplication(sys.argv[:1])
        self.page, self.watch = Page(), Watch()
        self.page.profile().setUrlRequestInterceptor(self.watch)
        self.view = QWebEngineView()
        self.view.setPage(self.page)
        self.view.resize(*size)
        self.view.show()

    def open(self, path: Path, fragment: str = "") -> float:
        """Load a page; the seconds that it took."""
        loaded: list[bool] = []
        self.page.loadFinished.connect(loaded.append)
        url = QUrl.fromLocalFile(str(path.resolve()))
        url.setFragment(fragment)
        began = time.monotonic()
        self.page.load(url)
        self._wait(loaded)
        assert loaded == [True], "the page was not loaded"
        return time.monotonic() - began

    def do(self, script: str) -> Any:
        """Run a script in the page; what it gives."""
        found: list[Any] = []
        self.page.runJavaScript(script, found.append)
        self._wait(found)
        return found[0]

    def look(self) -> dict[str, Any]:
        """What is seen now."""
        seen: dict[str, Any] = json.loads(self.do(LOOK))
        return seen

    def press(self, key: str) -> None:
        """A key."""
        self.do(f"{PRESS.format(key=json.dumps(key))}; 1")

    def _wait(self, things: list[Any], seconds: float = 60.0) -> None:
        end = time.monotonic() + seconds
        while not things and time.monotonic() < end:
            self.application.processEvents()
            time.sleep(0.002)
        assert things, "the browser did not answer"


def walk(path: Path) -> dict[str, Any]:
    """All that is seen on the way from the first to the last step, and back."""
    browser = Browser()
    seconds = browser.open(path)
    start = browser.look()
    browser.press("Home")
    there = [browser.look()]
    for _ in range(start["last"]):
        browser.press("ArrowRight")
        there.append(browser.look())
    back = [there[-1]]
    for _ in range(start["last"]):
        browser.press("ArrowLeft")
        back.append(browser.look())
    browser.press("End")
    at_end = browser.look()
    browser.press("t")
    turned = browser.look()
    browser.do("document.getElementById('slider').value = 1; document.getElementById('slider').oninput(); 1")
    dragged = browser.look()
    browser.press(" ")
    playing = browser.do("document.getElementById('play').getAttribute('aria-pressed')")
    browser.press("ArrowLeft")
    stopped = browser.do("document.getElementById('play').getAttribute('aria-pressed')")
    narrow = Browser((390, 800))
    narrow.open(path, "embed&theme=dark&step=3")
    return {
        "seconds": seconds, "start": start, "there": there, "back": back, "end": at_end, "turned": turned,
        "dragged": dragged, "playing": [playing, stopped], "narrow": narrow.look(),
        "asked": browser.watch.asked, "messages": browser.page.messages + narrow.page.messages,
    }  # fmt: skip


if __name__ == "__main__":
    sys.stdout.write(json.dumps(walk(Path(sys.argv[1]))))
    sys.stdout.flush()
    os._exit(0)  # its processes end with it
