"""The guards of what a snippet brings along and finds in its run: attached files and modules, the folder of a run,
games; of tables whose keys change them, tables of pandas, classes that answer for attributes, names of fields and
methods, and what stands in the place of others."""

from __future__ import annotations

from tests.mutants.rows import LIMIT, W, found, part, worker

_MODULES = found("Attached files")
_ATTACHED = W + "test_attached.py::"
_GAMES = found("Stand-ins: games")
_ARCHIVES = W + "test_archives.py::test_no_archive_leads_out_or_fills_the_memory"
_SCRATCH = W + "test_scratch.py::"
_ORDERED = W + "test_ordered_tables.py::test_it_does_what_pythons_does"
_LESSONS = "tests/document/test_lesson_sets.py::"
_NODES = W + "test_ordered_tables.py::test_a_key_that_empties_it_frees_nothing_that_is_read"

_TABLES = found("Stand-ins: pandas")
_NUMPYS = found("Found: NumPy's own objects by tables and errors")
_ANSWERING = found("Classes that answer")
_FIELDS = found("Found: names of methods and fields")
_VIEWS = found("Found: tables behind a view")
_PLACE = found("Found: objects in the place of an optimizer")

BROUGHT = (
    worker(
        "modules/own_modules",
        "hidden names of a module",
        "if _is_hidden(key) or key not in names:",
        "if False:",
        _MODULES,
    ),
    worker(
        "modules/own_modules",
        "hidden names set in a module",
        "if _is_hidden(key) or is_dunder(key):",
        "if False:",
        _MODULES,
    ),
    worker(
        "modules/own_modules",
        "hidden names in a list of names",
        "for key in names if not _is_hidden(key))",
        "for key in names)",
        _MODULES,
    ),
    worker("modules/own_modules", "modules in the place of PyTorch", " or parts[0] in _OURS:", ":", _MODULES),
    worker(
        "modules/archives",
        "names that lead out of an archive",
        'if part not in ("", ".", "..")]',
        'if part not in ("", ".")]',
        _ARCHIVES,
    ),
    worker(
        "modules/archives", "links and devices in an archive", "info.isdir() or _is_plain(info)}", "True}", _ARCHIVES
    ),
    worker("modules/archives", "what is in a zip file", "if len(data) > MOST_BYTES:", "if False:", _ARCHIVES),
    worker("modules/archives", "names in an archive", "    if count > MOST_NAMES:", "    if False:", _ARCHIVES),
    worker("modules/archives", "kinds of compression", "if info.compress_type not in _KINDS:", "if False:", _ARCHIVES),
    worker(
        "modules/archives",
        "archives that are written",
        'if str.__str__(mode)[:1] != "r":',
        "if False:",
        W + "test_archives.py::test_archives_are_read_and_taken_apart",
    ),
    worker(
        "modules/scratch",
        "files outside the folder",
        'if path.startswith(HOME + "/") and ',
        "if ",
        _SCRATCH + "test_what_is_attached_lies_in_the_folder",
    ),
    worker(
        "modules/scratch",
        "room in the folder of a run",
        "if used + more > MOST_BYTES or len(self.files) + len(self.folders) >= MOST_NAMES:",
        "if False:",
        _SCRATCH + "test_a_full_folder_says_so_and_has_room_again",
    ),
    worker(
        "modules/scratch",
        "room for objects in the folder of a run",
        "            content.weight += weight\n",
        "",
        found("The folder of a run: too much of it"),
    ),
    worker(
        "modules/scratch",
        "objects that no file stands for",
        "self._objects.pop(number, None)",
        "pass",
        _SCRATCH + "test_an_object_goes_with_the_last_file_that_stands_for_it",
    ),
    worker(
        "running/runner",
        "the folder of another run",
        "        SCRATCH.forget()\n",
        "",
        _SCRATCH + "test_no_run_finds_what_another_left",
    ),
    worker(
        "modules/archives",
        "compressed files that do not fit",
        "            found += part.decompress(data, MOST_BYTES - len(found) + 1)",
        "            found += part.decompress(data)",
        _ATTACHED + "test_a_compressed_file_is_read_but_no_more_of_it_than_fits",
    ),
    worker(
        "modules/archives",
        "several compressed files in one",
        "        if len(found) > MOST_BYTES:\n",
        "        if False:\n",
        _ATTACHED + "test_a_compressed_file_is_read_but_no_more_of_it_than_fits",
    ),
    worker(
        "modules/games",
        "games that are made anew",
        "        raise TypeError(_KEPT)\n",
        "        return object.__new__(cls)\n",
        _GAMES,
    ),
    worker("modules/games", "methods of games with other objects", "@keep_methods\nclass Game", "class Game", _GAMES),
    worker(
        "modules/games",
        "arrays that a game hands out",
        "seen, is_cut = to_snippet(self._rules.seen()),",
        "seen, is_cut = self._rules.seen(),",
        W + "test_games.py::test_arrays_leave_as_stand_ins",
    ),
    worker(
        "modules/games",
        "the state of a game",
        "state.copy() if isinstance(state, np.ndarray) else state",
        "state",
        _GAMES,
    ),
    worker(
        "modules/games", "bounds of a box", "to_snippet(self._low.copy()), doc", "to_snippet(self._low), doc", _GAMES
    ),
    part(
        "document/attached",
        "names of attached files",
        "return bool(good and len(name) <= LONGEST)",
        "return True",
        _ATTACHED + "test_other_names_are_none",
    ),
    part(
        "document/attached",
        "the length of names of attached files",
        "good and len(name) <= LONGEST",
        "good",
        _ATTACHED + "test_other_names_are_none",
    ),
    part(
        "document/attached",
        "files that point elsewhere",
        " and not path.is_symlink()",
        "",
        _ATTACHED + "test_a_folder_is_read_as_far_as_a_snippet_can_use_it",
    ),
    part(
        "document/attached",
        "hidden files of a folder",
        'if not name.startswith(".") and path',
        "if path",
        _ATTACHED + "test_a_folder_is_read_as_far_as_a_snippet_can_use_it",
    ),
    part(
        "document/attached",
        "hidden folders",
        'if not each.startswith((".", "__"))',
        "if each",
        _ATTACHED + "test_a_folder_is_read_as_far_as_a_snippet_can_use_it",
    ),
    part(
        "document/attached",
        "how much is attached",
        "if size > MOST_BYTES or len(by_name) > MOST_FILES:",
        "if False:",
        _ATTACHED + "test_a_document_has_no_more_than_it_can_be_saved_with",
    ),
    part(
        "document/files/file_parts",
        "names of attached files in a document",
        "if not isinstance(name, str) or not is_name(name):",
        "if False:",
        _ATTACHED + "test_what_is_broken_of_them_is_left_out",
    ),
    worker(
        "process/run",
        "time in which nothing is computed",
        "elif clock - at > limits.idle_seconds:",
        "elif False:",
        f"{LIMIT}[waiting]",
    ),
    worker(
        "objects/ordered_tables",
        "nodes of tables that a key empties",
        "    for name in _OF_DICT:\n        take(OrderedDict, name, dict)\n",
        "",
        _NODES,
    ),
    worker(
        "objects/ordered_tables",
        "methods of tables with other objects",
        "if not isinstance(self, OrderedDict):",
        "if False:",
        _ORDERED,
    ),
    part(
        "document/files/lesson_set",
        "lessons without end",
        "enumerate(parts[:MOST_LESSONS], start=1)",
        "enumerate(parts, start=1)",
        _LESSONS + "test_a_set_has_no_end_of_lessons",
    ),
    part(
        "document/files/lesson_set",
        "damage in the head of a lesson set",
        'if not gradviz_file.problem("lesson_set", record) else {}',
        "",
        _LESSONS + "test_a_set_has_no_end_of_lessons",
    ),
    part(
        "document/files/lesson_set",
        "lessons that name other files",
        'found = gradviz_file.problem("lesson", part)',
        'found = ""',
        _LESSONS + "test_files_beside_a_set_are_its_lessons_and_no_others",
    ),
    part(
        "document/files/examples",
        "texts of a lesson without end",
        "return text if len(text) <= most else",
        "return text if True else",
        _LESSONS + "test_a_docstring_of_any_length_gives_texts_of_a_lessons_length",
    ),
    part(
        "document/snippet",
        "how often Python reads a long notebook",
        "most = min(_MOST, _MOST_READ // max(sum(map(len, sources)), 1))",
        "most = _MOST",
        "tests/document/test_notebook.py::test_python_reads_a_long_notebook_a_few_times_only",
    ),
    part(
        "trace/record/recorder",
        "an end of a recording that can't be written",
        "except Exception as error:  # noqa: BLE001 whatever it is",
        "except ZeroDivisionError as error:",
        W + "test_failed_finish.py",
    ),
    worker(
        "modules/tables",
        "rows of a table by brackets of other objects",
        "keep_methods(_Places)\n",
        "",
        found("Found: methods and properties of offered classes"),
    ),
    worker(
        "modules/table_groups",
        "methods of groups that only serve groups",
        'Groups.__module__ = "pandas"\nkeep_methods(Groups)',
        'Groups.__module__ = "pandas"',
        _TABLES,
    ),
    worker(
        "modules/table_values",
        "arrays that a column returns",
        'return to_snippet(data.astype(str) if data.dtype.kind == "O" else data.copy())',
        "return data",
        _TABLES,
    ),
    worker(
        "modules/table_values",
        "what a column is combined with",
        'if found.dtype.kind not in "biufcSU":',
        "if False:",
        _NUMPYS,
    ),
    worker(
        "modules/tables",
        "columns of one dimension",
        "    if data.ndim != 1:\n        raise ValueError(ONE_DIMENSION)\n    made",
        "    made",
        _NUMPYS,
    ),
    worker(
        "modules/table_modules",
        "the most cells of a file",
        "if len(rows) * len(titles) > _LONGEST:",
        "if False:",
        _TABLES,
    ),
    worker(
        "objects/numpy_boundary",
        "texts of NumPy in errors",
        "    error.object = str.__str__(error.object)\n",
        "",
        _NUMPYS,
    ),
    worker(
        "objects/numpy_boundary",
        "errors of NumPy's functions",
        "        found = function(*plain, **named)\n"
        "    except UnicodeEncodeError as error:\n        raise told(error) from None\n",
        "        found = function(*plain, **named)\n    finally:\n        pass\n",
        _NUMPYS,
    ),
    worker(
        "modules/table_values",
        "errors of types of columns",
        'data.astype(object if data.dtype.kind == "U" else data.dtype).astype',
        "data.astype",
        _NUMPYS,
    ),
    worker(
        "objects/numpy_types",
        "errors of types",
        "**keywords))\n        except UnicodeEncodeError as error:\n            raise told(error) from None\n",
        "**keywords))\n        finally:\n            pass\n",
        _NUMPYS,
    ),
    worker(
        "objects/numpy_types",
        "errors of an item",
        "if is_number else to_numpy(value)\n    "
        "    except UnicodeEncodeError as error:\n            raise told(error) from None\n",
        "if is_number else to_numpy(value)\n        finally:\n            pass\n",
        _NUMPYS,
    ),
    worker(
        "objects/numpy_types",
        "errors of filling",
        "if is_number else to_numpy(value))\n    "
        "    except UnicodeEncodeError as error:\n            raise told(error) from None\n",
        "if is_number else to_numpy(value))\n        finally:\n            pass\n",
        _NUMPYS,
    ),
    worker(
        "objects/numpy_types",
        "errors of a flat item",
        "= to_numpy(value)\n        except UnicodeEncodeError as error:\n            raise told(error) from None\n",
        "= to_numpy(value)\n        finally:\n            pass\n",
        _NUMPYS,
    ),
    worker(
        "language/guard",
        "closed names by another __getattr__",
        "if guard._is_closed(subject, name):",
        "if False:",
        _ANSWERING,
    ),
    worker(
        "language/guard",
        "private names of what a Function forwards to",
        "        kinds += [FunctionCtx] if issubclass(cls, Function) else []  # to which an object of it forwards\n",
        "",
        _ANSWERING,
    ),
    worker(
        "language/guard",
        "private names by another __getattr__",
        '        if name.startswith("_"):\n            return guard.getattr(subject, name)\n        found',
        "        found",
        _ANSWERING,
    ),
    worker(
        "language/classes",
        "an Enum with __getattr__",
        'if "__getattr__" in names:',
        "if False:",
        _ANSWERING,
    ),
    worker(
        "objects/python_types",
        "methods that are copied",
        'vars(copy)["_copy_dispatch"][types.MethodType] = lambda method: method',
        "pass",
        _FIELDS,
    ),
    worker(
        "objects/python_types",
        "copies that an object makes itself",
        "    vars(copy).update(getattr=of_class, hasattr=",
        "    dict(getattr=of_class, hasattr=",
        W + "test_hardening.py::test_what_stays_out[how an object says that it is copied]",
    ),
    worker(
        "objects/python_types",
        "arguments behind errors of argparse",
        "        self.args = (None, message)\n",
        "        pass\n",
        found("Found: what an error has behind it"),
    ),
    worker(
        "modules/command_line",
        "attributes by the names of settings",
        "guard.getattr(default, name) for name in rest",
        "getattr(default, name) for name in rest",
        _FIELDS,
    ),
    worker(
        "language/classes",
        "fields that the engine keeps",
        "theirs = is_engines_name(made, name) or any(",
        "theirs = any(",
        _FIELDS,
    ),
    part(
        "torch/optim/optimizer",
        "another object in an optimizer's place",
        "(self, *list(found[0])[1:]), found[1]",
        "found",
        _PLACE,
    ),
    worker(
        "objects/hardening",
        "what a lazy layer becomes",
        "becomes and (issubclass(kind, value) or issubclass(value, kind))",
        "becomes",
        _PLACE,
    ),
    worker(
        "policy_names",
        "a table behind a view in a pattern",
        '.union({"mapping", "metadata"}, ',
        '.union({"mapping"}, ',
        _VIEWS,
    ),
    worker(
        "modules/game_wrappers",
        "a table behind a view by a wrapper",
        "dict(found) if type(found) is types.MappingProxyType else found",
        "found",
        _VIEWS,
    ),
    worker(
        "modules/vision/transforms",
        "attributes by the names of what a transform shows",
        '__slots__ = ("_shown",)  # which',
        "# which",
        found("Found: what PyTorch's own methods return"),
    ),
    worker(
        "objects/python_types",
        "members of an Enum before they are made",
        "    _hide_unmade_members()\n",
        "",
        found("Found: members of an Enum before they are made"),
    ),
)
