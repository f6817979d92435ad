"""What a person types or pastes into a drawing: nodes, arguments, code from the clipboard."""
