package setup_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"fabricast"
)

// TestOneMistakeDoesNotHideOrMakeAnother makes each value of valid documents invalid in turn. It
// must be the only problem reported. With a second mistake elsewhere, both must be reported.
func TestOneMistakeDoesNotHideOrMakeAnother(t *testing.T) {
	const second = "network.router.vcs"
	tried := 0
	for _, text := range mistaken {
		for _, path := range leaves(t, text) {
			if strings.HasPrefix(path, "network.router") {
				continue
			}
			tried++
			one := withUnreadable(t, text, path, false)
			for _, field := range fieldsWrong(t, one) {
				if !related(field, path) {
					t.Errorf("only %s cannot be read, %s is reported too\n%s", path, field, one)
				}
			}
			both := withUnreadable(t, text, path, true)
			if fields := fieldsWrong(t, both); !slices.Contains(fields, second) ||
				!slices.ContainsFunc(fields, func(f string) bool { return related(f, path) }) {
				t.Errorf("%s and %s are wrong, %v are reported\n%s", path, second, fields, both)
			}
		}
	}
	if tried < 50 {
		t.Errorf("%d values were tried", tried)
	}
}

// related reports whether two paths denote the same field, or one field contains the other.
func related(a, b string) bool {
	return a == b || strings.HasPrefix(a, b+".") || strings.HasPrefix(b, a+".") ||
		strings.HasPrefix(a, b+"[") || strings.HasPrefix(b, a+"[")
}

func fieldsWrong(t *testing.T, text string) (fields []string) {
	t.Helper()
	var wrong *fabricast.ConfigError
	if _, err := fabricast.Parse("experiment.yaml", text); !errors.As(err, &wrong) {
		t.Fatalf("got %v, want a ConfigError\n%s", err, text)
	}
	for _, p := range wrong.Problems() {
		fields = append(fields, p.Field)
	}
	return fields
}

// leaves returns the paths of all scalar values of a document.
func leaves(t *testing.T, text string) (paths []string) {
	t.Helper()
	walk(parsed(t, text), "", func(path string) any {
		paths = append(paths, path)
		return nil
	})
	return paths
}

// withUnreadable returns the document with an invalid value at path at and, if second is true, an
// invalid number of virtual channels.
func withUnreadable(t *testing.T, text, at string, second bool) string {
	t.Helper()
	tree := walk(parsed(t, text), "", func(path string) any {
		if path == at {
			return map[string]any{"bogus": 1}
		}
		return nil
	}).(map[string]any)
	if second {
		network := tree["network"].(map[string]any)
		router, _ := network["router"].(map[string]any)
		if router == nil {
			router = map[string]any{}
		}
		router["vcs"] = -4
		network["router"] = router
	}
	out, err := yaml.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func parsed(t *testing.T, text string) (tree any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), &tree); err != nil {
		t.Fatal(err)
	}
	return tree
}

// walk calls f with the path of each scalar value, and replaces the value if f returns another one.
func walk(v any, path string, f func(path string) any) any {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			v[key] = walk(v[key], strings.TrimPrefix(path+"."+key, "."), f)
		}
	case []any:
		for i := range v {
			v[i] = walk(v[i], fmt.Sprintf("%s[%d]", path, i), f)
		}
	default:
		if changed := f(path); changed != nil {
			return changed
		}
	}
	return v
}
