package node

import (
	"os"
	"reflect"
	"regexp"
	"testing"
)

// TestPartsUseOnlyPartsBeforeThem holds docs/nodes.md to its word: a part knows no Block, and of
// the other parts only those that come before it.
func TestPartsUseOnlyPartsBeforeThem(t *testing.T) {
	block := reflect.TypeFor[Block]()
	place := map[reflect.Type]int{} // of the fields that are parts: structs of this package
	for i := range block.NumField() {
		if f := block.Field(i).Type; f.Kind() == reflect.Struct && f.PkgPath() == block.PkgPath() {
			place[f] = i
		}
	}
	delete(place, reflect.TypeFor[Ops]()) // what programs see of the block
	if len(place) < 10 {
		t.Fatalf("found %d parts", len(place))
	}
	for part, at := range place {
		for i := range part.NumField() {
			f := part.Field(i)
			if f.Type.Kind() != reflect.Pointer {
				continue
			}
			if f.Type.Elem() == block {
				t.Errorf("part %s has the block", part)
			}
			if other, ok := place[f.Type.Elem()]; ok && other >= at {
				t.Errorf("part %s uses %s, which does not come before it", part, f.Type.Elem())
			}
		}
	}
}

// TestMapOfPartsIsInTheOrderOfTheBlock compares the table of docs/nodes.md with the block.
func TestMapOfPartsIsInTheOrderOfTheBlock(t *testing.T) {
	page, err := os.ReadFile("../docs/nodes.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| `(\\w+)` \\| ([^|]*)\\|").FindAllSubmatch(page, -1)
	if len(rows) < 10 {
		t.Fatalf("found %d rows", len(rows))
	}
	last := -1
	for _, row := range rows {
		f, ok := reflect.TypeFor[Block]().FieldByName(string(row[1]))
		if !ok || f.Index[0] <= last {
			t.Errorf("%s is no part of the block, or not in its place", row[1])
			continue
		}
		last = f.Index[0]
		for _, file := range regexp.MustCompile("`(\\w+\\.go)`").FindAllSubmatch(row[2], -1) {
			if _, err := os.Stat(string(file[1])); err != nil {
				t.Errorf("%s: %v", row[1], err)
			}
		}
	}
}
