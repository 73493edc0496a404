package cmdline

import (
	"regexp"
	"strings"
	"testing"

	"fabricast"
)

// TestCompletionsAreAccepted checks that each word that the shell completes for --set is a word
// that the field accepts.
func TestCompletionsAreAccepted(t *testing.T) {
	var f ExperimentFlags
	paths, _ := f.completeSet(nil, nil, "")
	words := 0
	for _, path := range paths {
		list, _ := f.completeSet(nil, nil, path)
		for _, assignment := range list {
			words++
			_, err := fabricast.Parse("experiment.yaml", "workload: {program: barrier}", assignment)
			field, word, _ := strings.Cut(assignment, "=")
			if err != nil &&
				regexp.MustCompile(regexp.QuoteMeta(field)+`[.\w]*: found (unknown field|`+regexp.QuoteMeta(word)+`, expected one of)`).
					MatchString(err.Error()) {
				if field != "workload.algorithm" { // other programs have these algorithms
					t.Errorf("%s is completed, but refused: %v", assignment, err)
				}
			}
		}
	}
	if len(paths) < 100 || words < 100 {
		t.Errorf("%d paths and %d words are completed", len(paths), words)
	}
}
