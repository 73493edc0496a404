#!/bin/sh
# A compiler that builds programs for 'fabricast run': COMPILER with what such programs need.
home='HOME_FOLDER'
compiler=${COMPILER_VARIABLE:-COMPILER}
compile="-I$home/include -fPIC -fno-semantic-interposition COMPILE_FLAGS"
start=$home/lib/start.o # before all else, so that main may be in a library
link="-shared -Wl,-Bsymbolic -Wl,-z,noseparate-code -Wl,-z,norelro -Wl,-z,defs -Wl,-e,fabricast_start LINK_FLAGS -L$home/lib -Wl,-rpath,$home/lib -lfabricast-mpi"

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
  object) exec $compiler $compile "$@" ;;
  library) exec $compiler $compile "$@" -Wl,-z,noseparate-code -Wl,-z,norelro "-L$home/lib" "-Wl,-rpath,$home/lib" -lfabricast-mpi ;;
esac
exec $compiler $compile "$start" "$@" $link
