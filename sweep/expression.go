package sweep

import (
	"fmt"
	"math"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/types"
	"github.com/expr-lang/expr/vm"
)

// expression is a compiled expression over named values. A nil expression is always true.
type expression struct{ program *vm.Program }

// compile compiles an expression that may use the given names. The error is a
// *fabricast.ConfigError with the position of the field.
func (f *File) compile(field, text string, names []string) (*expression, error) {
	if text == "" {
		return nil, nil
	}
	if len(text) > mostText {
		return nil, f.mistake(
			field, text[:shownText]+"...", fmt.Errorf("it is longer than %d bytes", mostText),
		)
	}
	env := types.Map{}
	for _, n := range names {
		env[n] = types.Any
	}
	var plain plainOnly
	p, err := expr.Compile(text, expr.Env(env), expr.Patch(&plain))
	if plain.refused != "" {
		err = fmt.Errorf("it has %s", plain.refused)
	}
	if err != nil {
		return nil, f.mistake(field, text, err)
	}
	return &expression{p}, nil
}

// Maximum length of an expression in bytes, and the length shown of one that exceeds it.
const (
	mostText  = 4096
	shownText = 60
)

// plainFunctions lists the functions that expressions may call. Others are refused. Some of them,
// such as replace or toJSON, can fill the memory from a short text, and now returns a different
// result on each call.
var plainFunctions = map[string]bool{
	"abs": true, "ceil": true, "floor": true, "round": true, "int": true, "float": true,
	"string": true, "type": true,
	"min": true, "max": true, "mean": true, "median": true, "sum": true, "len": true,
	"upper": true, "lower": true, "trim": true, "trimPrefix": true, "trimSuffix": true,
	"hasPrefix": true, "hasSuffix": true, "indexOf": true, "lastIndexOf": true,
	"first": true, "last": true, "get": true,
}

// plainOnly finds disallowed parts of an expression: loops, variables, $env, and functions other
// than plainFunctions. They would allow a short text to run forever or to use all memory.
type plainOnly struct{ refused string }

// Visit checks one node of an expression.
func (p *plainOnly) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		if n.Value == "$env" {
			p.refused = "$env"
		}
	case *ast.VariableDeclaratorNode, *ast.SequenceNode:
		p.refused = "variables of its own"
	case *ast.PredicateNode, *ast.PointerNode:
		p.refused = "a loop"
	case *ast.BinaryNode:
		if n.Operator == ".." {
			p.refused = "a range"
		}
	case *ast.BuiltinNode:
		if p.refused == "" && !plainFunctions[n.Name] {
			p.refused = n.Name
		}
	}
}

// single reports whether v is a single value that fits in a cell of a table: a number, a bool, a
// string or nil.
func single(v any) bool {
	switch v.(type) {
	case nil, float64, int, bool, string:
		return true
	}
	return false
}

func (e *expression) run(env map[string]any) (any, error) { return expr.Run(e.program, env) }

// truth evaluates a condition. It returns an error if the value is neither true nor false.
func (e *expression) truth(env map[string]any) (bool, error) {
	if e == nil {
		return true, nil
	}
	v, err := e.run(env)
	if err != nil {
		return false, err
	}
	b, ok := v.(bool)
	if !ok {
		return false, fmt.Errorf("it gives %v, neither true nor false", v)
	}
	return b, nil
}

// number evaluates a numeric expression. The result is NaN if the expression uses a missing figure.
func (e *expression) number(env map[string]any) (float64, error) {
	v, err := e.run(env)
	if err != nil {
		return math.NaN(), err
	}
	switch v := v.(type) {
	case float64:
		return v, nil
	case int:
		return float64(v), nil
	case bool:
		if v {
			return 1, nil
		}
		return 0, nil
	case nil:
		return math.NaN(), nil
	}
	return math.NaN(), fmt.Errorf("it gives %v, not a number", v)
}
