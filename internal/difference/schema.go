package difference

import (
	"reflect"

	"fabricast/internal/schema"
)

// OutputSchema returns the JSON Schema of a Difference.
func OutputSchema() *schema.Schema {
	s := schema.OfOutput(reflect.TypeFor[Difference]())
	s.Title = "Fabricast first difference"
	s.Properties["schema"] = &schema.Schema{Const: Schema}
	return s
}
