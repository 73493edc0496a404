package collective

import "fmt"

// Choice is an algorithm of a collective, chosen by its name and options.
type Choice[F any] struct {
	*entry[F]
	Run    F // with the options
	kind   Kind
	chosen Algorithm // the name and options by which it was chosen
	sized  bool      // its messages depend on the size of the buffer
}

// mostChoices is the maximum number of choices that a family keeps.
const mostChoices = 16

// Choose returns an algorithm for the given number of ranks. If there is none, it panics, which ends the run with
// the message.
func (f *Family[F]) Choose(a Algorithm, ranks int) *Choice[F] {
	c := f.find(a)
	if c == nil || !c.Accepts(ranks) {
		f.fail(a, ranks)
	}
	return c
}

// ChooseOp is like Choose for reductions. It also panics if the algorithm requires a commutative
// operation and op is not commutative.
func (f *Family[F]) ChooseOp(a Algorithm, ranks int, op *Op) *Choice[F] {
	c := f.Choose(a, ranks)
	if c.CommutativeOnly && op.Ordered() {
		failOp(f.kind, c.Name, op)
	}
	return c
}

// fail panics because the algorithm does not exist or does not accept the number of ranks.
//
//go:noinline
func (f *Family[F]) fail(a Algorithm, ranks int) {
	panic(f.admit(a, ranks).Error())
}

// failOp panics because the algorithm requires a commutative operation.
//
//go:noinline
func failOp(k Kind, a Algorithm, op *Op) {
	panic(fmt.Sprintf("%s: algorithm %s needs a commutative operation, %q is not", k, a, op.Name))
}

// find returns the algorithm with the given name and options; nil if there is none. A name is looked up only once,
// because a rank that is replayed calls its collective again after every wait.
func (f *Family[F]) find(a Algorithm) *Choice[F] {
	if list := f.choices.Load(); list != nil {
		for _, c := range *list {
			if c.chosen == a {
				return c
			}
		}
	}
	c := f.make(a)
	if c != nil {
		f.keep(c)
	}
	return c
}

// make makes the Choice of an algorithm; nil if there is none.
func (f *Family[F]) make(a Algorithm) *Choice[F] {
	e, options := f.lookUp(a)
	if e == nil {
		return nil
	}
	c := &Choice[F]{entry: e, Run: e.run, kind: f.kind, chosen: a, sized: e.Sized || e.option(OptionSegment) >= 0}
	if e.with != nil || options != "" {
		v, err := e.values(options)
		if err != nil {
			return nil
		}
		c.Run = e.with(v)
	}
	return c
}

// keep adds a choice to those that find knows, unless there are too many. Ranks of several workers may choose at
// the same time, so the list is replaced by a longer one.
func (f *Family[F]) keep(c *Choice[F]) {
	for {
		before, list := f.choices.Load(), []*Choice[F]{c}
		if before != nil {
			list = append(list, *before...)
		}
		if len(list) > mostChoices || f.choices.CompareAndSwap(before, &list) {
			return
		}
	}
}
