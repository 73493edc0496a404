package why

import (
	"reflect"

	"fabricast/internal/schema"
)

// OutputSchema returns the JSON Schema of a Path.
func OutputSchema() *schema.Schema {
	s := schema.OfOutput(reflect.TypeFor[Path]())
	s.Title = "Fabricast why"
	s.Properties["schema"] = &schema.Schema{Const: Schema}
	return s
}
