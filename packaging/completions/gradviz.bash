# Completion of the command gradviz for bash.

_gradviz_files() {
    local IFS=$'\n'
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -d -- "$1"; compgen -f -X "!*.@($2)" -- "$1")
}

_gradviz() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} options=
    local enabled
    enabled=$(shopt -p extglob)
    shopt -s extglob
    case $before in
        --step) mapfile -t COMPREPLY < <(compgen -W "end" -- "$word") ;;
        --theme) mapfile -t COMPREPLY < <(compgen -W "light dark" -- "$word") ;;
        --screenshot) _gradviz_files "$word" "png|jpg" ;;
        --plots) compopt -o dirnames; COMPREPLY=() ;;
        --time-limit | --size) COMPREPLY=() ;;
        -o | --out)
            case $command in
                export) _gradviz_files "$word" "svg|png|pdf" ;;
                *) _gradviz_files "$word" "gradviz" ;;
            esac ;;
        *)
            case $command in
                run) options="--help --json --steps --every-step --time-limit --plots" ;;
                export) options="--help --out --step" ;;
                code) options="--help" ;;
                draw) options="--help --out" ;;
                *) options="--help --step --screenshot --size --theme --version --verbose" ;;
            esac
            if [[ $word == -* ]]; then
                mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
            else
                _gradviz_files "$word" "py|gradviz"
                if ((COMP_CWORD == 1)); then
                    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "run export code draw" -- "$word")
                fi
            fi ;;
    esac
    $enabled
}

complete -F _gradviz gradviz
