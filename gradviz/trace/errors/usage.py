"""Explained errors of what is built around the graph: custom functions, hooks, transforms, modes, indices and types.
Their texts need no look at the trace."""

from __future__ import annotations

from gradviz.trace.errors.explanation import Row, plain

USAGE_ROWS: tuple[Row, ...] = (
    (
        r"vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow",
        plain(
            "Inside of vmap a tensor stands for all examples at once, so `if` cannot ask for its one value.",
            "Compute both ways and choose with torch.where(condition, a, b).",
        ),
    ),
    (
        r"vmap: It looks like you're calling \.item\(\) on a Tensor",
        plain(
            "Inside of vmap a tensor stands for all examples at once: it has no one value to take out.",
            "Keep it a tensor, and read values after vmap has returned.",
        ),
    ),
    (
        r"vmap: called random operation while in randomness error mode",
        plain(
            "vmap was not told whether each example gets random numbers of its own.",
            'Pass randomness="different" to vmap, or "same" for the same numbers in all examples.',
        ),
    ),
    (
        r"vmap: inplace arithmetic\(self, \*extra_args\) is not possible",
        plain(
            "The tensor that is written to is the same for all examples, but what is written differs.",
            "Use the operation that makes a new tensor, without the underscore.",
        ),
    ),
    (
        r"vmap: Expected all tensors to have the same size in the mapped dimension",
        plain(
            "vmap takes one slice of every input per example, but the inputs have different numbers of slices.",
            "Make the sizes equal, or give None in in_dims for an input that all examples share.",
        ),
    ),
    (
        r"returned an incorrect number of gradients \(expected (\d+), got (\d+)\)",
        plain(
            "backward has to return one gradient for each input of forward, ctx not counted: {0} here, not {1}.",
            "Return None for inputs that need no gradient.",
        ),
    ),
    (
        r"returned an invalid gradient at index (\d+) - got (\[.*?\]) but expected shape compatible with (\[.*?\])",
        plain(
            "A gradient has the shape of the input that it belongs to: {2} for input {0}, but backward returned {1}.",
            "Check which input each returned gradient is for, and sum over dimensions that were broadcast.",
        ),
    ),
    (
        r"You must implement either the backward or vjp method",
        plain("The function has no formula for its gradient.", "Define a static method backward(ctx, grad_output)."),
    ),
    (
        r"Legacy autograd function with non-static forward method",
        plain(
            "forward of a Function is called without an object of it.", "Make it a @staticmethod, and use F.apply()."
        ),
    ),
    (
        r"Jacobian mismatch for output (\d+) with respect to input (\d+)",
        plain(
            "What backward computes is not the slope of output {0} that small changes of input {1} show.",
            "Compare the two matrices in the message: the wrong numbers lead to the part of backward that is wrong.",
        ),
    ),
    (
        r"hook '.*' has changed the (size|type) of value",
        plain(
            "What a hook returns takes the place of the gradient, so it must have the same {0}.",
            "Return a tensor like the one that came in, or None to leave it as it is.",
        ),
    ),
    (
        r"Output of saved tensor unpack_hook expected to be a Tensor",
        plain("What unpack returns is used as the saved tensor.", "Return a tensor from the unpack hook."),
    ),
    (
        r"Inference tensors cannot be saved for backward|Inplace update to inference tensor outside InferenceMode"
        r"|Inference tensors do not track version counter",
        plain(
            "A tensor made inside of inference_mode() has no version counter and can never be in a graph.",
            "clone() it outside of inference_mode(), or use torch.no_grad() instead.",
        ),
    ),
    (
        r"grad can be implicitly created only for real scalar outputs",
        plain(
            "The starting gradient 1 is understood for real numbers only; this root is complex.",
            "Make it real first, for example with .abs() or .real, or pass gradient=.",
        ),
    ),
    (
        r"got (\d+) tensors and (\d+) gradients",
        plain("Each root needs a starting gradient of its own: {0} roots, {1} gradients.", "Pass one for each root."),
    ),
    (
        r"Output \d+ of the user-provided function does not require gradients",
        plain(
            "With strict=True the function has to compute its result from its input, and this one does not.",
            "Use the input, or leave strict out to get zeros.",
        ),
    ),
    (
        r"to have (\d+) channels, but got (\d+) channels instead",
        plain(
            "The layer was made for inputs of {0} channels, but this one has {1}. They stand before the image sizes.",
            "Change in_channels of the layer, or the channels of the input.",
        ),
    ),
    (
        r"Expected input batch_size \((\d+)\) to match target batch_size \((\d+)\)",
        plain("There are {0} rows of scores but {1} targets; each row needs one.", "Make the numbers equal."),
    ),
    (
        r"iteration over a 0-d tensor|invalid index of a 0-dim tensor",
        plain("A single number has no dimension to go along.", "Use .item(), or give it one with unsqueeze(0)."),
    ),
    (
        r"result type (\w+) can't be cast to the desired output type (\w+)",
        plain(
            "Writing in place keeps the type of the tensor, {1}, and a {0} result does not fit into it.",
            "Make a new tensor (a = a + b), or convert the tensor first.",
        ),
    ),
    (
        r"more than one element of the written-to tensor refers to a single memory location",
        plain("expand() repeats elements without copying: several share one place in memory.", "clone() it first."),
    ),
    (
        r"functions with out=\.\.\. arguments don't support automatic differentiation",
        plain(
            "out= writes into memory that may belong to a graph already.", "Assign the result instead of using out=."
        ),
    ),
    (
        r"output with shape (\[.*?\]) doesn't match the broadcast shape (\[.*?\])",
        plain(
            "Writing in place cannot change the shape: the result has shape {1}, the tensor {0}.",
            "Make a new tensor (a = a + b).",
        ),
    ),
    (
        r"(sum|mean|prod|max|min)\(\) received an invalid combination of arguments - got \([^)]*keepdim=",
        plain(
            "{0}() of all elements has no keepdim; only {0}() along a dim has.", "Say which dim, or leave keepdim out."
        ),
    ),
    (
        r"(\w*median)\(\) missing 1 required positional arguments: \"dim\"",
        plain(
            "{0}() of all elements has no keepdim; only {0}() along a dim has.", "Say which dim, or leave keepdim out."
        ),
    ),
    (
        r"index out of range in self",
        plain("An index is not a row of the table.", "Use indices from 0 to num_embeddings − 1, or make it larger."),
    ),
    (
        r"could not infer output dtype\. Input dtype must be either a floating point or complex dtype\. Got: (\w+)",
        plain("A mean of integers is no integer, and this tensor is {0}.", "Call .float() first."),
    ),
    (
        r"Dimension out of range \(expected to be in range of (\[.*?\]), but got (-?\d+)\)",
        plain("The tensor has no dimension {1}: its dimensions are {0}.", "Use one of them, or unsqueeze() it first."),
    ),
    (
        r"The expanded size of the tensor \((\d+)\) must match the existing size \((\d+)\) at \S+ dimension (\d+)",
        plain(
            "expand() repeats dimensions of size 1 only; dimension {2} has {1} elements and cannot become {0}.",
            "Use repeat(), or unsqueeze() where the copies should lie.",
        ),
    ),
    (
        r"A different number of tensors was saved during the original forward and recomputation",
        plain(
            "checkpoint runs its function again for the backward pass, and it did not do the same the second time.",
            "Let nothing that changes between the two calls decide what the function does.",
        ),
    ),
)
