package cmpi

import (
	"cmp"
	"fmt"
	"slices"

	"fabricast/cmpi/internal/host"
)

// Types is what is done where a rank takes the bytes of a message, or of a collective, for something else than whoever has sent
// them: numbers of another kind or size. Unsigned integers match signed ones, and MPI_BYTE and MPI_PACKED match everything.
type Types string

// What may be done about types that do not match.
const (
	TypesTold    Types = ""       // Job.Warnings tell of them, once for each place in the program
	TypesFail    Types = "error"  // the call that receives fails with MPI_ERR_TYPE; for collectives, the run fails at its end
	TypesIgnored Types = "ignore" // nothing
)

// typesDoNotMatch begins what is said of them.
const typesDoNotMatch = "datatypes do not match: "

// checkTypes tells the C side.
func (j *Job) checkTypes() {
	j.host.CheckTypes(map[Types]int{TypesTold: host.TellTypes, TypesFail: host.FailTypes, TypesIgnored: host.IgnoreTypes}[j.options.Types])
}

// mostTold is of how many places warnings tell.
const mostTold = 10

// typeWarnings tell of messages whose receivers took them for something else than their senders, the lowest receivers first.
func (j *Job) typeWarnings() []string {
	var found []*host.Mismatch
	for m := j.host.Mismatch(0); m != nil; m = j.host.Mismatch(len(found)) {
		found = append(found, m)
	}
	slices.SortFunc(found, func(a, b *host.Mismatch) int {
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

// place is where in the source a call is, as in " at main.c:12"; empty if the program does not tell.
func (j *Job) place(site int64) string {
	if j.sites == nil {
		j.sites, _ = readSites(j.path)
	}
	if j.sites != nil {
		if at := j.sites.at(site); at != "" {
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

// typesErr is the mismatch of types in collectives, if that is an error.
func (j *Job) typesErr() error {
	if j.options.Types != TypesFail {
		return nil
	}
	return j.mismatchedTypes()
}

// Warnings tell of what is not right, but does not make a run fail: requests that were never completed, and types that do not match.
func (j *Job) Warnings() []string {
	var list []string
	if n := j.pending; n.ranks > 0 {
		list = append(list, fmt.Sprintf("%d requests of %d ranks, the first of them rank %d, were never completed", n.requests, n.ranks, n.first))
	}
	list = append(list, j.typeWarnings()...)
	if err := j.mismatchedTypes(); err != nil && j.options.Types == TypesTold {
		list = append(list, err.Error())
	}
	return list
}
