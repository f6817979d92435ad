#!/bin/sh
# Installs GradViz for one user, without an administrator: the program, the menu entry and the type of its files.
#   ./install.sh                    into ~/.local
#   ./install.sh --prefix FOLDER    elsewhere, such as /usr/local for all users
#   ./install.sh --uninstall        takes it away again (with --prefix, from there); settings stay
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
prefix=$HOME/.local
task=install
while [ $# -gt 0 ]; do
    case $1 in
        --prefix) prefix=${2:?--prefix needs a folder}; shift ;;
        --uninstall) task=uninstall ;;
        *) sed -n '2,5s/^# \{0,1\}//p' "$0"; exit 2 ;;
    esac
    shift
done
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
list=$prefix/lib/gradviz/installed.txt

renew() {  # tell the desktop, where it can be told
    update-desktop-database "$prefix/share/applications" 2>/dev/null || true
    update-mime-database "$prefix/share/mime" 2>/dev/null || true
    gtk-update-icon-cache -q -t -f "$prefix/share/icons/hicolor" 2>/dev/null || true
}

uninstall() {
    [ -f "$list" ] || { echo "GradViz is not installed in $prefix." >&2; exit 1; }
    while IFS= read -r name; do rm -f -- "$prefix/$name"; done < "$list"
    rm -rf -- "$prefix/lib/gradviz"
}

if [ $task = uninstall ]; then
    uninstall
    renew
    echo "GradViz is removed from $prefix. Settings are in ~/.config/GradViz."
    exit 0
fi
[ ! -f "$list" ] || uninstall  # an older version
mkdir -p "$prefix"
(cd "$here" && tar -cf - bin lib share) | (cd "$prefix" && tar -xf -)
(cd "$here" && find bin share ! -type d) > "$list"
program=$prefix/bin/gradviz
entry=$prefix/share/applications/org.gradviz.GradViz.desktop
quoted=$(printf '%s' "$program" | sed 's/[\\"`$]/\\\\&/g; s/[&|]/\\&/g; s/%/%%/g')
sed -i "s|^Exec=gradviz |Exec=\"$quoted\" |" "$entry"
renew
echo "GradViz is installed: $program"
case :$PATH: in *:"$prefix/bin":*) ;; *) echo "For the command gradviz, add $prefix/bin to PATH." ;; esac
