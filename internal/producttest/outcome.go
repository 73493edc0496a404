package producttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"fabricast"
	"fabricast/record"
)

// Outcome holds all outputs of a run that do not depend on the machine and the engine: the result,
// and the files of its folder by name.
type Outcome map[string]string

// result is the key of the result in an Outcome.
const result = "the result"

// OutcomeOf collects the outputs of a run. folder is its result folder; "" if it has none.
func OutcomeOf(r *fabricast.Result, folder string) (Outcome, error) {
	plain := *r
	plain.Processes, plain.Workers, plain.Balance, plain.Moves, plain.Windows = 0, 0, 0, 0, 0
	plain.Streams = nil
	plain.Engine, plain.Optimistic, plain.Host = "", nil, fabricast.Host{}
	text, err := json.Marshal(plain)
	if err != nil {
		return nil, err
	}
	all := Outcome{result: string(text)}
	if folder == "" {
		return all, nil
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		name := file.Name()
		if file.IsDir() || name == record.ResultFile || name == record.ProgressFile {
			continue
		}
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(name, ".parquet") && !strings.HasPrefix(string(content), "PAR1") {
			return nil, fmt.Errorf("%s is no table", name)
		}
		all[name] = string(content)
	}
	return all, nil
}

// Difference describes where two outcomes differ, except in the file `but`; "" if they are equal.
func (o Outcome) Difference(other Outcome, but string) string {
	for name, want := range o {
		if got := other[name]; got != want && name != but {
			return name + " is another:\n" + firstDifference(want, got)
		}
	}
	return ""
}

// firstDifference shows the first position at which two texts differ.
func firstDifference(a, b string) string {
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	from := max(0, at-80)
	return fmt.Sprintf("%q\n%q, after %d bytes", a[from:min(len(a), at+40)], b[from:min(len(b), at+40)], from)
}

// Refused reports whether an experiment was refused because its description is invalid.
func Refused(err error) bool {
	var wrong *fabricast.ConfigError
	return errors.As(err, &wrong)
}
