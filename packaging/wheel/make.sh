#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make.sh [BUILD] [OUT]: packs what is built in BUILD (build) as a wheel in OUT
# (BUILD/packages). Wheels have no symbolic links: a library lies under the name
# that programs load it by, one to link with is a linker script of a line, a
# command a shell script of a line. Needs python3 with setuptools and wheel, or
# with venv and a network to have them. The platform in the wheel's name is the
# oldest glibc that has all functions of glibc that our files need.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
build=$(cd "${1:-$source/build}" && pwd)
out=${2:-$build/packages}
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cp -r "$here"/softwarp "$here"/pyproject.toml "$here"/setup.py "$work"
cp "$source"/LICENSE "$source"/README.md "$work"
sed -n 's/^project(.* VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt" \
    >"$work/VERSION"
root=$work/softwarp/root
cmake --install "$build" --prefix "$root" --strip >"$work/log" ||
    { cat "$work/log"; exit 1; }

# Of the links to a library in the same folder the one with the soname takes the
# file's place.
find "$root" -type l -name '*.so.*' | sort | while read -r link; do
    to=$(readlink -f "$link")
    soname=$(objdump -p "$to" | awk '$1 == "SONAME" { print $2 }')
    if [ "$(basename "$link")" = "$soname" ] &&
        [ "$(dirname "$to")" = "$(readlink -f "$(dirname "$link")")" ]; then
        rm "$link"
        mv "$to" "$link"
    fi
done
# Loaders of OpenCL look for the library by name, as folders are not known yet.
printf 'libsoftwarp-opencl.so\n' >"$root/lib/softwarp/opencl/vendors/softwarp.icd"
rm -rf "$root/etc"
# What the links stand for is found before the first is gone.
find "$root" -type l | sort | while read -r link; do
    printf '%s %s\n' "$link" "$(readlink -f "$link")"
done >"$work/links"
while read -r link target; do
    folder=$(dirname "$link")
    # After a move above: the library by its soname.
    if [ ! -e "$target" ]; then
        target=$(ls "${target%.*}"* | head -n 1)
    fi
    rm "$link"
    [ "$folder" != "$root/lib" ] || continue # for a system's -lsoftwarp
    case $link in
    */toolkit/lib64)
        mkdir "$link"
        for library in "$target"/lib*.so "$target"/lib*.a; do
            name=$(basename "$library")
            case $name in libsoftwarp*) continue ;; esac
            printf 'INPUT(../../%s)\n' "$name" >"$link/$name"
        done
        ;;
    */toolkit/include) cp -r "$target" "$link" ;;
    *.so.*) cp "$target" "$link" ;; # a second name to load it by
    *.so)
        printf 'INPUT(%s)\n' \
            "$(realpath -m --relative-to="$folder" "$target")" >"$link"
        ;;
    *)
        case $(basename "$link") in
        nvcc) subcommand=cc ;;
        ptxas) subcommand=ptxas ;;
        softwarp-gdb) subcommand=gdb ;;
        *)
            echo "make.sh: no rule for the link $link" >&2
            exit 1
            ;;
        esac
        printf '#!/bin/sh\nexec "$(dirname "$0")/%s" %s "$@"\n' \
            "$(realpath --relative-to="$folder" "$target")" $subcommand >"$link"
        chmod 755 "$link"
        ;;
    esac
done <"$work/links"

# The newest version of glibc's symbols that our files need.
glibc=$(find "$root" -type f \( -name '*.so*' -o -perm -100 \) -exec \
    objdump -T {} + 2>/dev/null | grep -o 'GLIBC_2\.[0-9]*' | sort -t. -k2n |
    tail -n 1 | sed 's/GLIBC_//; s/[.]/_/')
cd "$work"
python=python3
$python -c 'import setuptools, wheel' 2>/dev/null || {
    python3 -m venv "$work/venv"
    "$work/venv/bin/pip" install -q 'setuptools>=70.1'
    python=$work/venv/bin/python
}
"$python" setup.py -q bdist_wheel -d "$out" \
    -p "manylinux_${glibc}_$(uname -m)" 2>"$work/log" ||
    { cat "$work/log"; exit 1; }
ls "$out"/softwarp-*.whl
