
# The modules are made by the compiler that is there when they are first needed, and with them the flags with which newer
# ones compile older programs: buffers of several types for one function without an interface, hexadecimal constants of integers.
modules() {
  made=$(mktemp -d "$home/include/modules.XXXXXX") || { echo "$0: found no modules of MPI in $home/include and could not make them there" >&2; exit 1; }
  cd "$made" || exit 1
  flags='-fallow-argument-mismatch -fallow-invalid-boz'
  $compiler $flags -w -I.. -fsyntax-only ../mpi.f90 2>/dev/null || flags=
  for module in mpi mpi_f08; do
    $compiler $flags -w -I.. -fsyntax-only ../$module.f90 || { echo "$0: $compiler could not make the module $module" >&2; rm -rf "$made"; exit 1; }
  done
  echo "$flags" >flags
  mv mpi.mod mpi_f08.mod ..
  mv flags ../fortran-flags
  cd "$OLDPWD" && rmdir "$made"
}
if [ ! -f "$home/include/fortran-flags" ] && command -v ${compiler%% *} >/dev/null; then (modules) || exit 1; fi
[ -f "$home/include/fortran-flags" ] && read -r flags <"$home/include/fortran-flags" && compile="$compile $flags"
[ "$1" = --fabricast-modules ] && exit 0
