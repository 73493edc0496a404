package sweep

import (
	"fmt"
	"math"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/types"
	"github.com/expr-lang/expr/vm"
)

// expression is a compiled expression over named values; nil is true.
type expression struct{ program *vm.Program }

// compile reads an expression that may use the given names. Its error is a
// *fabricast.ConfigError that points at the field.
func (f *File) compile(field, text string, names []string) (*expression, error) {
	if text == "" {
		return nil, nil
	}
	env := types.Map{}
	for _, n := range names {
		env[n] = types.Any
	}
	p, err := expr.Compile(text, expr.Env(env))
	if err != nil {
		return nil, f.mistake(field, text, err)
	}
	return &expression{p}, nil
}

func (e *expression) run(env map[string]any) (any, error) { return expr.Run(e.program, env) }

// truth is the value of a condition.
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

// number is the value of a numeric expression; NaN if a figure that it uses is missing.
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
