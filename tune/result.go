package tune

import (
	"encoding/json"
	"io"
	"reflect"

	"fabricast"
	"fabricast/collective"
	"fabricast/collective/libraries"
	"fabricast/internal/schema"
)

// Schema names the JSON layout of a Result and its version.
const Schema = "fabricast.tune/1"

// Result says which algorithm is the fastest for which size and number of ranks.
type Result struct {
	Schema     string          `json:"schema"`
	Version    string          `json:"version"`
	File       string          `json:"file"`
	Collective collective.Kind `json:"collective"`
	Shapes     []string        `json:"shapes"` // of the network; one "": that of the file
	Cells      []Cell          `json:"cells"`
	Rules      []Rule          `json:"rules"`
	Crossovers []Crossover     `json:"crossovers"`
	Costs      []Cost          `json:"costs"`    // of one algorithm for everything, the cheapest first
	Compared   []Cost          `json:"compared"` // of tables
	Run        int             `json:"run"`      // number of points that were run
	Skipped    int             `json:"skipped"`  // number of points that cannot win
	Failed     int             `json:"failed"`
	Notes      []string        `json:"notes"` // what the files for libraries cannot say

	decisions []libraries.Decisions // by shape
}

// Cell is a size (bytes) on a number of ranks.
type Cell struct {
	Shape  string  `json:"shape,omitempty"`
	Ranks  int     `json:"ranks"`
	Bytes  int64   `json:"bytes"`
	Points []Point `json:"points"` // the fastest first, then those that were not run
	layout *collective.Layout
}

// Point is an algorithm of a cell.
type Point struct {
	Algorithm collective.Algorithm `json:"algorithm"`
	Time      int64                `json:"time_ps"`  // of one call; 0: it was not run, or failed
	Bound     int64                `json:"bound_ps"` // it cannot be faster
	Skipped   bool                 `json:"skipped"`  // its bound is above the shortest time
	Error     string               `json:"error,omitempty"`
}

// Rule is the fastest algorithm from a number of ranks and a size on, up to those of the next rules.
type Rule struct {
	Shape     string               `json:"shape,omitempty"`
	Ranks     int                  `json:"ranks"`
	From      int64                `json:"from_bytes"`
	Algorithm collective.Algorithm `json:"algorithm"`
	// Lead is by which share the next algorithm takes longer: the least and the largest of the sizes
	// that were tried.
	LeastLead float64 `json:"least_lead"`
	MostLead  float64 `json:"most_lead"`
	Second    string  `json:"second"` // the next algorithm where the lead is least; "": there is none
}

// Crossover is a size at which another algorithm becomes the fastest.
type Crossover struct {
	Shape string               `json:"shape,omitempty"`
	Ranks int                  `json:"ranks"`
	Below int64                `json:"below_bytes"` // the largest size tried for which From is the fastest
	Above int64                `json:"above_bytes"` // the smallest one for which To is
	At    int64                `json:"at_bytes"`    // estimated between them
	From  collective.Algorithm `json:"from"`
	To    collective.Algorithm `json:"to"`
}

// Cost is by which share a choice takes longer than the fastest algorithms.
type Cost struct {
	Name       string  `json:"name"`  // of an algorithm or a table
	Cells      int     `json:"cells"` // of which the cost is known, or at least known to be above a bound
	Mean       float64 `json:"mean"`  // geometric
	Worst      float64 `json:"worst"`
	WorstShape string  `json:"worst_shape,omitempty"`
	WorstRanks int     `json:"worst_ranks"`
	WorstBytes int64   `json:"worst_bytes"`
	// WorstAlgorithm is what a table chooses there; that of an algorithm is its own name.
	WorstAlgorithm collective.Algorithm `json:"worst_algorithm"`
	AtLeast        bool                 `json:"at_least"` // some points were not run: the costs are bounds
	Right          int                  `json:"right"`    // number of cells where it is the fastest
}

// Decisions returns the decisions for files of libraries on the network of a shape, by its index.
func (r *Result) Decisions(shape int) []libraries.Decisions { return r.decisions[shape : shape+1] }

// JSON writes the result.
func (r *Result) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// OutputSchema returns the JSON Schema of a Result.
func OutputSchema() *schema.Schema {
	s := schema.OfOutput(reflect.TypeFor[Result]())
	s.Title = "Fabricast tune"
	s.Properties["schema"] = &schema.Schema{Const: Schema}
	return s
}

// newResult returns a result without figures.
func newResult(file string, kind collective.Kind) *Result {
	return &Result{
		Schema: Schema, Version: fabricast.FullVersion(), File: file, Collective: kind, Shapes: []string{}, Cells: []Cell{}, Rules: []Rule{},
		Crossovers: []Crossover{}, Costs: []Cost{}, Compared: []Cost{}, Notes: []string{},
	}
}
