package cmpi

import (
	"cmp"
	"fmt"
	"slices"

	"fabricast/cmpi/internal/host"
)

// Types selects what happens if a message, or data of a collective, is received with a datatype
// that does not match the sender's: numbers of another kind or size. Unsigned integers match signed
// ones, and MPI_BYTE and MPI_PACKED match everything.
type Types string

// Values of Types: what happens when datatypes do not match.
const (
	TypesTold Types = "" // Job.Warnings reports it, once for each place in the program
	// the receiving call fails with MPI_ERR_TYPE; for collectives, the run fails at its end
	TypesFail    Types = "error"
	TypesIgnored Types = "ignore" // it is ignored
)

// typesDoNotMatch begins messages about datatypes that do not match.
const typesDoNotMatch = "datatypes do not match: "

// checkTypes passes the choice to the C side.
func (j *Job) checkTypes() {
	how := map[Types]int{
		TypesTold: host.TellTypes, TypesFail: host.FailTypes, TypesIgnored: host.IgnoreTypes,
	}
	j.host.CheckTypes(how[j.options.Types])
}

// mostTold is the largest number of places that warnings name.
const mostTold = 10

// typeWarnings lists messages that were received with a datatype that does not match, by ascending
// receiver.
func (j *Job) typeWarnings() []string {
	found := joined(append(j.ownMismatches(), j.elsewhere...))
	slices.SortFunc(found, func(a, b host.Mismatch) int {
		return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Site, b.Site), cmp.Compare(a.Text, b.Text))
	})
	var list []string
	for _, m := range found[:min(len(found), mostTold)] {
		list = append(list, typesDoNotMatch+m.Text+j.place(m.Site)+times(m.Times))
	}
	if more := len(found) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("%sin %d further places", typesDoNotMatch, more))
	}
	return list
}

// ownMismatches returns what ranks of this process have received with a datatype that does not match.
func (j *Job) ownMismatches() (found []host.Mismatch) {
	for m := j.host.Mismatch(0); m != nil; m = j.host.Mismatch(len(found)) {
		found = append(found, *m)
	}
	return found
}

// place returns where a call is in the source, as in " at main.c:12"; "" if unknown.
func (j *Job) place(site int64) string {
	s := j.sites
	if s == nil {
		s = j.lines()
	}
	if s != nil {
		if at := s.at(site); at != "" {
			return " at " + at
		}
	}
	return ""
}

func times(n int64) string {
	if n < 2 {
		return ""
	}
	return fmt.Sprintf("; %d times in all", n)
}

// typesErr returns the first mismatch of datatypes in collectives, if that is an error.
func (j *Job) typesErr() error {
	if j.options.Types != TypesFail {
		return nil
	}
	return j.mismatchedTypes()
}

// Warnings lists what is wrong but does not make a run fail: requests that were never completed,
// ranks that never called MPI_Finalize, and datatypes that do not match.
func (j *Job) Warnings() []string {
	var list []string
	if n := j.pending; n.ranks > 0 {
		list = append(
			list,
			fmt.Sprintf(
				"%d requests of %d ranks, the first of them rank %d, were never completed",
				n.requests, n.ranks, n.first,
			),
		)
	}
	if n := j.unfinished; n.ranks > 0 {
		list = append(
			list,
			fmt.Sprintf(
				"%d ranks, the first of them rank %d, ended without calling MPI_Finalize",
				n.ranks, n.first,
			),
		)
	}
	list = append(list, j.typeWarnings()...)
	if err := j.mismatchedTypes(); err != nil && j.options.Types == TypesTold {
		list = append(list, err.Error())
	}
	return list
}
