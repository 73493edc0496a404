package snapshot

import "errors"

// Write passes the state that a walk goes over to flush, in chunks. last marks the end of a section
// (see Section). It notes down the layout of every type.
func Write(flush func(chunk []byte, last bool) error, walk func(*Visitor)) error {
	v := &Visitor{checked: true, flush: flush, bytes: make([]byte, 0, chunkSize)}
	walk(v)
	v.cut()
	return v.err
}

// Read makes the state that a walk goes over what Write has passed on. fill returns the chunks, one
// after the other, and at the end an empty one that is not the last of a section.
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

// IsOther reports whether an error of Read says that the state is that of another model, or of
// another build of the program.
func IsOther(err error) bool { return errors.Is(err, errOther) }

// Section goes over a part of a state that can be left out when the state is read from a file, see
// Skip, or be written by others, see Insert. Sections do not contain sections.
func Section(v *Visitor, walk func(*Visitor)) {
	v.cut()
	v.open = true
	walk(v)
	v.cut()
}

// Skip leaves out a section when a state is read from a file.
func Skip(v *Visitor) {
	v.cut()
	for v.err == nil && !v.last {
		v.read()
	}
	v.bytes, v.last = nil, false
}

// Insert writes chunks of sections that Write has passed on elsewhere.
func Insert(v *Visitor, chunk []byte, last bool) {
	if v.cut(); v.err == nil {
		v.Fail(v.flush(chunk, last))
	}
}

// cut ends the section that has begun, if one has.
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
		err = errOther // the file ends
	}
	v.Fail(err)
}
