package snapshot

import "errors"

// Write passes the state that walk visits to flush, in chunks. last marks the end of a section (see
// Section). It also saves the layout of every type.
func Write(flush func(chunk []byte, last bool) error, walk func(*Visitor)) error {
	v := &Visitor{checked: true, flush: flush, bytes: make([]byte, 0, chunkSize)}
	walk(v)
	v.cut()
	return v.err
}

// Read restores the state that walk visits from the output of Write. fill returns the chunks, one
// after the other, and at the end an empty one with last false.
func Read(fill func() (chunk []byte, last bool, err error), walk func(*Visitor)) error {
	v := &Visitor{restores: true, checked: true, fill: fill}
	walk(v)
	v.cut()
	if v.err != nil {
		return v.err
	}
	switch chunk, last, err := fill(); {
	case err != nil:
		return err
	case last || len(chunk) > 0:
		return errOther
	}
	return nil
}

// IsOther reports whether an error of Read means that the state belongs to another model, or to
// another build of the program.
func IsOther(err error) bool { return errors.Is(err, errOther) }

// Section visits a part of a state that can be skipped when the state is read from a file (Skip),
// or be written elsewhere (Insert). Sections cannot be nested.
func Section(v *Visitor, walk func(*Visitor)) {
	v.cut()
	v.open = true
	walk(v)
	v.cut()
}

// Skip skips a section when a state is read from a file.
func Skip(v *Visitor) {
	v.cut()
	for v.err == nil && !v.last {
		v.read()
	}
	v.bytes, v.last = nil, false
}

// Insert writes a chunk of a section that Write has passed on in another process.
func Insert(v *Visitor, chunk []byte, last bool) {
	if v.cut(); v.err == nil {
		v.Fail(v.flush(chunk, last))
	}
}

// cut ends the current section, if there is one.
func (v *Visitor) cut() {
	if !v.open || v.err != nil || v.flush == nil && v.fill == nil {
		return
	}
	v.open = false
	if !v.restores {
		v.Fail(v.flush(v.bytes, true))
		v.bytes = v.bytes[:0]
		return
	}
	if len(v.bytes) == 0 && !v.last {
		v.read()
	}
	if len(v.bytes) > 0 || !v.last {
		v.Fail(errOther)
	}
	v.last = false
}

// read reads the next chunk of a section.
func (v *Visitor) read() {
	var err error
	v.bytes, v.last, err = v.fill()
	if err == nil && len(v.bytes) == 0 && !v.last {
		err = errOther // the file ends early
	}
	v.Fail(err)
}
