package node

import (
	"os"
	"reflect"
	"regexp"
	"testing"
)

// TestMapOfPartsIsInTheOrderOfTheBlock compares the table of docs/nodes.md with the block.
func TestMapOfPartsIsInTheOrderOfTheBlock(t *testing.T) {
	page, err := os.ReadFile("../docs/nodes.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (?:`(\\w+)`)? *\\|").FindAllSubmatch(page, -1)
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
		part, room := f.Type, "fabricast/node"
		if part.Kind() == reflect.Slice {
			part = part.Elem()
		}
		if len(row[2]) > 0 {
			room += "/internal/" + string(row[2])
		}
		if part.PkgPath() != room {
			t.Errorf("%s is in %s, not in %s", row[1], part.PkgPath(), room)
		}
	}
}
