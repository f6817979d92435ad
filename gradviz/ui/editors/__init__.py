"""The editors above the inspector's page: one for each kind of thing that can be picked in a drawing. `sheet` chooses
the editor, `form` has what all of them are made of; every change goes through `store.edit`. What is read
from a field is decided in `gradviz.document`."""
