#!/bin/sh
# A compiler that builds programs for 'fabricast run': COMPILER with what such programs need.
home='HOME_FOLDER'
compiler=${COMPILER_VARIABLE:-COMPILER}
compile="-I$home/include -fPIC -fno-semantic-interposition COMPILE_FLAGS"
start=$home/lib/start.o # before all else, so that main may be in a library
link="-shared -Wl,-Bsymbolic -Wl,-z,noseparate-code -Wl,-z,norelro -Wl,-z,defs -Wl,-e,fabricast_start LINK_FLAGS -L$home/lib -Wl,-rpath,$home/lib -lfabricast-mpi"

# Runs a compiler. If it fails because of a function of a newer MPI, that is said.
run() {
  "$@" && exit 0
  code=$?
  "$@" 2>&1 >/dev/null | tr -c 'A-Za-z0-9_' '\n' | sort -u | LC_ALL=C awk -v wrapper="$0" '
    FNR == NR { for (i = 2; i <= NF && !/^#/; i++) { name[tolower($i)] = $i; version[tolower($i)] = $1 }; next }
    { word = tolower($0); sub(/^pmpi_/, "mpi_", word); fortran = word; sub(/_$/, "", fortran) }
    !(word in version) && fortran in version { word = fortran }
    word ~ /^mpi_.*_c$/ && !(word in version) && $0 ~ /^P?MPI_/ { name[word] = $0; sub(/^P/, "", name[word]); version[word] = "4.0" }
    word in version && !said[word]++ { printf "%s: %s is of MPI %s, expected functions up to MPI 3.1 (fabricast mpi-coverage lists them)\n", wrapper, name[word], version[word] }
  ' "$home/lib/newer.txt" - >&2
  exit $code
}
PREPARATION
mode=program show=
inputs=no
for arg; do
  shift
  case $arg in
    -show|-compile_info|-link_info|-compile-info|-link-info|--showme|-showme) show=all; continue ;;
    -showme:compile|--showme:compile) show=compile; continue ;;
    -showme:link|--showme:link) show=link; continue ;;
    -static|-pie|-no-pie|-fno-pic|-fno-PIC|-fno-pie|-fno-PIE|-rdynamic|-static-pie) continue ;;
    -c|-S|-E|-M|-MM|-fsyntax-only) mode=object ;;
    -shared) mode=library ;;
    -*) ;;
    *) inputs=yes ;;
  esac
  set -- "$@" "$arg"
done
case $show in
  all) echo "$compiler $compile $start $* $link"; exit 0 ;;
  compile) echo "$compile"; exit 0 ;;
  link) echo "$start $link"; exit 0 ;;
esac
command -v ${compiler%% *} >/dev/null || { echo "$0: found no ${compiler%% *}, expected it to be installed (COMPILER_VARIABLE may name another)" >&2; exit 127; }
[ $inputs = yes ] || exec $compiler "$@"
case $mode in
  object) run $compiler $compile "$@" ;;
  library) run $compiler $compile "$@" -Wl,-z,noseparate-code -Wl,-z,norelro "-L$home/lib" "-Wl,-rpath,$home/lib" -lfabricast-mpi ;;
esac
run $compiler $compile "$start" "$@" $link
