# Completion of the command gradviz for fish.

set -l commands run export code draw explain
set -l window "not __fish_seen_subcommand_from $commands"

complete -c gradviz -n "__fish_is_first_token" -a run -d "Run snippets or drawings without a window"
complete -c gradviz -n "__fish_is_first_token" -a export -d "Write a picture, a page or data"
complete -c gradviz -n "__fish_is_first_token" -a code -d "Print the code of a drawing"
complete -c gradviz -n "__fish_is_first_token" -a draw -d "Turn a snippet into a drawing"
complete -c gradviz -n "__fish_is_first_token" -a explain -d "Say what is wrong with a snippet"
complete -c gradviz -s h -l help -d "Print what there is"
complete -c gradviz -n "$window" -l screenshot -r -d "Write a picture of the window"
complete -c gradviz -n "$window" -l size -x -d "Size of the window, as 1400x900"
complete -c gradviz -n "$window" -l theme -x -a "light dark" -d "Colours of the picture"
complete -c gradviz -n "$window" -l version -d "Print the version"
complete -c gradviz -n "$window" -l verbose -d "With --version: also parts and locks"
complete -c gradviz -n "$window; or __fish_seen_subcommand_from export" -l step -x -a end -d "Go to this step"
complete -c gradviz -n "__fish_seen_subcommand_from run" -l json -d "Print the recorded steps as JSON"
complete -c gradviz -n "__fish_seen_subcommand_from run" -l steps -d "Print the recorded steps as text"
complete -c gradviz -n "__fish_seen_subcommand_from run" -l every-step -d "The same with a line for each step"
complete -c gradviz -n "__fish_seen_subcommand_from run" -l time-limit -x -d "Stop a snippet after this time"
complete -c gradviz -n "__fish_seen_subcommand_from run" -l plots -x -a "(__fish_complete_directories)" -d "Write plots there"
complete -c gradviz -n "__fish_seen_subcommand_from run" -l record -r -d "Write the recorded steps there"
<<<<<<< HEAD
complete -c gradviz -n "__fish_seen_subcommand_from export" -l scale -x -d "How much larger pictures are"
complete -c gradviz -n "__fish_seen_subcommand_from export" -l theme -x -a "light dark" -d "The colours"
complete -c gradviz -n "__fish_seen_subcommand_from export" -l every-step -d "Stop at steps without news, too"
complete -c gradviz -n "__fish_seen_subcommand_from export" -l vertical -d "From top to bottom"
=======
complete -c gradviz -n "__fish_seen_subcommand_from explain" -l json -d "Print a JSON list"
complete -c gradviz -n "__fish_seen_subcommand_from explain" -l fix -x -d "Print the snippet with this fix"
>>>>>>> 27bfc5a (gradviz explain finds mistakes that raise nothing and explains them like errors, each with its line, its numbers and a fix)
complete -c gradviz -n "__fish_seen_subcommand_from export draw" -s o -l out -r -d "The file to write"
