package stage

import (
	"os"
	"reflect"
	"regexp"
	"testing"
)

// TestPartsUseOnlyPartsBeforeThem: a part knows neither the whole, nor parts that come after it.
func TestPartsUseOnlyPartsBeforeThem(t *testing.T) {
	whole := reflect.TypeFor[Stages]()
	parts := map[reflect.Type]int{}
	for i := range whole.NumField() {
		if f := whole.Field(i).Type; f.Kind() == reflect.Struct && f.PkgPath() == whole.PkgPath() {
			parts[f] = i
		}
	}
	if len(parts) < 10 {
		t.Fatalf("found %d parts", len(parts))
	}
	for part, at := range parts {
		for i := range part.NumField() {
			f := part.Field(i).Type
			if f.Kind() != reflect.Pointer {
				continue
			}
			if other, ok := parts[f.Elem()]; f.Elem() == whole || ok && other >= at {
				t.Errorf("part %s uses %s, which does not come before it", part, f.Elem())
			}
		}
	}
}

// TestMapOfPartsIsInTheirOrder compares the table of docs/engine.md with the type.
func TestMapOfPartsIsInTheirOrder(t *testing.T) {
	page, err := os.ReadFile("../../../docs/engine.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| `([A-Z]\\w*)` \\| (`\\w+\\.go`[^|]*)\\|").FindAllStringSubmatch(string(page), -1)
	if len(rows) < 10 {
		t.Fatalf("found %d rows", len(rows))
	}
	last := -1
	for _, row := range rows {
		f, ok := reflect.TypeFor[Stages]().FieldByName(row[1])
		if !ok || f.Index[0] <= last {
			t.Errorf("%s is no part, or not in its place", row[1])
			continue
		}
		last = f.Index[0]
		for _, file := range regexp.MustCompile("`(\\w+\\.go)`").FindAllStringSubmatch(row[2], -1) {
			if _, err := os.Stat(file[1]); err != nil {
				t.Errorf("%s: %v", row[1], err)
			}
		}
	}
}
