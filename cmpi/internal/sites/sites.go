// Package sites finds the places in a program's source by its debug information.
package sites

import (
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"sync"

	"fabricast/internal/input"
)

// Sites maps return addresses to places in a program's source. It is safe for concurrent use.
type Sites struct {
	lines []line // by address
	mutex sync.RWMutex
	known map[int64]string
}

// line is the address at which the code of a source line begins. file is empty where the code of a
// file ends.
type line struct {
	address uint64
	file    string
	number  int
}

// Read reads the line numbers of a program from its debug information.
func Read(program string) (*Sites, error) {
	file, _, err := input.Open(program, input.Program)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f, err := elf.NewFile(file)
	if err != nil {
		return nil, err
	}
	s := &Sites{known: map[int64]string{}}
	data, err := f.DWARF()
	if err == nil {
		err = s.read(data)
	}
	if err != nil || len(s.lines) == 0 {
		return nil, errors.Join(
			fmt.Errorf(
				"%s: found no line numbers, which a table of collectives names; expected a program "+
					"compiled with -g",
				program,
			),
			err,
		)
	}
	slices.SortStableFunc(s.lines, func(a, b line) int { return cmp.Compare(a.address, b.address) })
	return s, nil
}

func (s *Sites) read(data *dwarf.Data) error {
	for units := data.Reader(); ; units.SkipChildren() {
		unit, err := units.Next()
		if unit == nil || err != nil {
			return err
		}
		lines, err := data.LineReader(unit)
		if err != nil {
			return err
		}
		if lines == nil {
			continue
		}
		if err := s.readUnit(lines); err != nil {
			return err
		}
	}
}

func (s *Sites) readUnit(lines *dwarf.LineReader) error {
	var e dwarf.LineEntry
	for {
		switch err := lines.Next(&e); {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case e.EndSequence:
			s.lines = append(s.lines, line{address: e.Address})
		default:
			s.lines = append(s.lines, line{e.Address, path.Base(e.File.Name), e.Line})
		}
	}
}

// At returns the place of the call that returns to an address of the program, as in "main.c:12"; "" if unknown.
func (s *Sites) At(address int64) string {
	s.mutex.RLock()
	site, found := s.known[address]
	s.mutex.RUnlock()
	if found {
		return site
	}
	i, exact := slices.BinarySearchFunc(
		s.lines,
		uint64(address-1),
		func(l line, a uint64) int { return cmp.Compare(l.address, a) },
	)
	for exact && i+1 < len(s.lines) && s.lines[i+1].address == uint64(address-1) {
		i++
	}
	if !exact {
		i--
	}
	if i >= 0 && s.lines[i].file != "" {
		site = s.lines[i].file + ":" + strconv.Itoa(s.lines[i].number)
	}
	s.mutex.Lock()
	s.known[address] = site
	s.mutex.Unlock()
	return site
}
