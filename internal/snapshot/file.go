package snapshot

import "errors"

// Write passes the state that a walk goes over to flush, in chunks. It notes down the layout of
// every type.
func Write(flush func(chunk []byte) error, walk func(*Visitor)) error {
	v := &Visitor{checked: true, flush: flush, bytes: make([]byte, 0, chunkSize)}
	walk(v)
	if v.err == nil && len(v.bytes) > 0 {
		v.Fail(flush(v.bytes))
	}
	return v.err
}

// Read makes the state that a walk goes over what Write has passed on. fill returns the chunks, one
// after the other, and an empty one at the end.
func Read(fill func() (chunk []byte, err error), walk func(*Visitor)) error {
	v := &Visitor{restores: true, checked: true, fill: func() ([]byte, error) {
		chunk, err := fill()
		if err == nil && len(chunk) == 0 {
			err = errOther
		}
		return chunk, err
	}}
	walk(v)
	if v.err != nil {
		return v.err
	}
	if len(v.bytes) > 0 {
		return errOther
	}
	switch chunk, err := fill(); {
	case err != nil:
		return err
	case len(chunk) > 0:
		return errOther
	}
	return nil
}

// IsOther reports whether an error of Read says that the state is that of another model, or of
// another build of the program.
func IsOther(err error) bool { return errors.Is(err, errOther) }
