import warnings
import torch

warnings.filterwarnings("ignore", category=UserWarning)
warnings.warn("hidden")
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("always")
    warnings.warn("first", DeprecationWarning)
    warnings.warn("second")
    print(len(w), [str(x.message) for x in w], w[0].category.__name__)
with warnings.catch_warnings():
    warnings.simplefilter("error")
    try:
        warnings.warn("as error")
    except UserWarning as e:
        print("raised", e)
warnings.simplefilter("default")
warnings.warn("shown once")
print("end")
