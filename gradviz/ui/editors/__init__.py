"""The editors above the inspector's page: one for each kind of thing that can be selected in a drawing. `sheet` chooses
the editor and `form` has the common building blocks; every change goes through `store.edit`. `gradviz.document`
interprets the text of fields."""
