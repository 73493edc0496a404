package goal

import (
	"fmt"
	"math"
)

// Values of statement.kind.
const (
	task      = iota // a task
	requires         // a dependency on the end of a task
	irequires        // a dependency on the start of a task
	closing          // the closing brace of a rank
)

// statement is a statement between the braces of a rank: a task, a dependency or the closing brace.
type statement struct {
	kind  int
	label []byte // label of the task, which may be empty; in a dependency, of the waiting task
	other []byte // in a dependency, label of the task that it waits for
	fields
	line int64
}

// read parses the next statement.
func (s *statement) read(l *lexer) error {
	*s = statement{label: s.label[:0], other: s.other[:0]}
	t, err := l.next()
	if err != nil {
		return err
	}
	s.line = t.line
	switch {
	case t.is("}"):
		s.kind = closing
		return nil
	case t.kind != word:
		return l.fail(&t, "a task, a dependency or }")
	}
	s.label = append(s.label, t.text...)
	after, err := l.peek()
	if err != nil {
		return err
	}
	switch {
	case after.is(":"):
		if err := l.want(":"); err != nil {
			return err
		}
		if t, err = l.next(); err != nil {
			return err
		}
		return s.operation(l, &t)
	case after.is("requires"), after.is("irequires"):
		return s.dependency(l)
	}
	// the word is not a label but the operation of a task without a label
	t.text = append(s.other, s.label...)
	s.label = s.label[:0]
	return s.operation(l, &t)
}

// dependency parses the rest of a dependency, after the label of the waiting task.
func (s *statement) dependency(l *lexer) error {
	t, err := l.next()
	if err != nil {
		return err
	}
	s.kind = requires
	if t.is("irequires") {
		s.kind = irequires
	}
	if t, err = l.next(); err != nil {
		return err
	}
	if t.kind != word {
		return l.fail(&t, "the label of a task")
	}
	s.other = append(s.other, t.text...)
	return nil
}

// operation parses a task. t is its first word: send, recv or calc.
func (s *statement) operation(l *lexer, t *token) error {
	side := ""
	switch {
	case t.is("send"):
		s.fields.kind, side = sends, "to"
	case t.is("recv"):
		s.fields.kind, side = receives, "from"
	case t.is("calc"):
		s.fields.kind = computes
	default:
		return l.fail(t, "send, recv, calc, or the label of a task")
	}
	most := int64(maxBytes)
	if side == "" {
		most = maxNS
	}
	size, err := l.number("a size", 0, most)
	if err != nil {
		return err
	}
	s.size = uint64(size)
	if side != "" {
		if err := s.peerOf(l, side); err != nil {
			return err
		}
	}
	return s.attributes(l)
}

// peerOf parses the optional unit b, the word side ("to" or "from") and the peer of a message.
func (s *statement) peerOf(l *lexer, side string) error {
	t, err := l.next()
	if err != nil {
		return err
	}
	if t.is("b") {
		if t, err = l.next(); err != nil {
			return err
		}
	}
	if !t.is(side) {
		return l.fail(&t, side)
	}
	least := int64(0)
	if s.fields.kind == receives {
		least = -1
	}
	peer, err := l.number("a rank", least, math.MaxInt32)
	s.peer = uint32(peer)
	return err
}

// attributes parses the optional attributes of a task: tag, cpu and nic.
func (s *statement) attributes(l *lexer) error {
	for {
		t, err := l.peek()
		if err != nil {
			return err
		}
		var name, what string
		least, most := int64(0), int64(math.MaxUint8)
		switch {
		case t.is("tag"):
			name, what, most = "tag", "a tag", math.MaxUint32-1
			if s.fields.kind == receives {
				least = -1
			}
		case t.is("cpu"):
			name, what = "cpu", "a processor"
		case t.is("nic"):
			name, what = "nic", "a network interface"
		default:
			return nil
		}
		if err := l.want(name); err != nil {
			return err
		}
		v, err := l.number(what, least, most)
		if err != nil {
			return err
		}
		switch name {
		case "tag":
			s.tag = uint32(v)
		case "cpu":
			s.cpu = uint8(v)
		default:
			s.nic = uint8(v)
		}
	}
}

// misses returns the error for a label that no task before the given line has.
func (l *lexer) misses(line int64, label []byte) error {
	t := token{kind: word, text: label, line: line}
	return l.fail(&t, fmt.Sprintf("the label of a task before line %d", line))
}
