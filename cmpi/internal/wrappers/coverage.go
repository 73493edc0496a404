package wrappers

import (
	"debug/elf"
	"fmt"
	"slices"
	"strings"

	"fabricast/cmpi/internal/host"
	"fabricast/internal/input"
)

// Use is a function of MPI that a program calls.
type Use struct {
	Name string `json:"name"`
	Here bool   `json:"implemented"`
}

// All lists the functions of MPI 3.1.
func All() []Use {
	var list []Use
	for _, p := range host.Prototypes() {
		list = append(list, Use{p.Name, p.Here})
	}
	slices.SortFunc(list, func(a, b Use) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// UsedBy lists the functions of MPI that an object file, library or program needs, by their names
// in C. It returns an error if the file is no ELF file.
func UsedBy(path string) ([]Use, error) {
	file, _, err := input.Open(path, input.Program)
	if err != nil {
		return nil, &host.UnfitError{Text: err.Error()}
	}
	defer file.Close()
	f, err := elf.NewFile(file)
	if err != nil {
		return nil, &host.UnfitError{
			Text: fmt.Sprintf("%s: found no object file, expected one made by mpicc: %v", path, err),
		}
	}
	here, inFortran := map[string]bool{}, map[string]string{}
	for _, u := range All() {
		here[u.Name] = u.Here
		inFortran[host.FortranName(u.Name)] = u.Name
	}
	found := map[string]bool{}
	static, _ := f.Symbols()
	dynamic, _ := f.DynamicSymbols()
	for _, s := range append(static, dynamic...) {
		if s.Section != elf.SHN_UNDEF {
			continue
		}
		fortran := strings.Replace(strings.TrimPrefix(s.Name, "p"), host.SectionSuffix, "_", 1)
		if name := strings.TrimPrefix(s.Name, "P"); strings.HasPrefix(name, "MPI_") {
			found[name] = true
		} else if name := inFortran[fortran]; name != "" {
			found[name] = true
		}
	}
	list := []Use{}
	for name := range found {
		list = append(list, Use{name, here[name]})
	}
	slices.SortFunc(list, func(a, b Use) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}
