# SPDX-License-Identifier: MIT
# Planting a bug, read by `. tests/planted/plant.sh` in the project's folder. A patch changes sources, no headers: then nothing
# but these is built again, and linked before what was built of the others.
: "${MAKE:=make}"

# plant_sources PATCH FOLDER: lays what the patch changes, changed, into the folder, as deep as it lies here.
plant_sources() {
    mkdir -p "$2"
    sed -n 's|^+++ b/||p' "$1" | while read -r source; do
        case $source in
        *.c) mkdir -p "$2/$(dirname "$source")" && cp "$source" "$2/$source" || exit ;;
        *) echo "$1 changes $source, of which others are made" && exit 1 ;;
        esac
    done && patch -s -d "$2" -p1 --fuzz=0 <"$1"
}

# plant_programs BUILD FOLDER NAME/PROGRAM...: makes each in the folder, in that build, with what was laid into FOLDER/NAME.
plant_programs() (
    mode=$1
    plants=$2
    shift 2
    # Words on purpose.
    # shellcheck disable=SC2046
    "$MAKE" --no-print-directory -k -j 2 -f tests/planted/planted.mk BUILD="$mode" PLANTS="$plants" $(printf "$plants/%s " "$@")
)
