package data

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"fabricast"
	"fabricast/record"
)

// ResultOf parses a folder's result.json and checks that all numbers are in range. It returns nil
// if the file does not exist. Errors name the file and the field.
func ResultOf(folder *record.Reader) (*fabricast.Result, error) {
	text := folder.Result()
	if text == nil {
		return nil, nil
	}
	r := &fabricast.Result{}
	err := json.Unmarshal(text, r)
	if err == nil {
		err = checkFigures("", reflect.ValueOf(r).Elem())
	}
	if err != nil {
		return nil, fmt.Errorf("%s is damaged, or of another version: %w", record.ResultFile, err)
	}
	return r, nil
}

// anySign lists the fields that may be negative.
var anySign = []string{"tag", "half", "growth", "worst_growth", "event_efficiency"}

// mostFigure is the maximum valid number. The sum of two smaller numbers fits in an int64.
const mostFigure = 1 << 62

// checkFigures returns an error if a number in v is negative or too large. path is the path of v in
// the JSON.
func checkFigures(path string, v reflect.Value) error {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return checkFigures(path, v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			if err := checkFigures(fmt.Sprintf("%s[%d]", path, i), v.Index(i)); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			if slices.Contains(anySign, name) {
				continue
			}
			if err := checkFigures(strings.TrimPrefix(path+"."+name, "."), v.Field(i)); err != nil {
				return err
			}
		}
	case reflect.Int, reflect.Int32, reflect.Int64:
		if x := v.Int(); x < 0 || x > mostFigure {
			return fmt.Errorf("%s: found %d, expected a number from 0 to %d", path, x, int64(mostFigure))
		}
	case reflect.Float64:
		if x := v.Float(); x < 0 || x > mostFigure {
			return fmt.Errorf("%s: found %g, expected a number from 0 to %g", path, x, float64(mostFigure))
		}
	}
	return nil
}
