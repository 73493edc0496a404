package flightrecorder

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
)

// Opcodes of Python's pickles, protocols 0 to 5, that simple values need (Lib/pickletools.py).
const (
	opMark            = '('
	opStop            = '.'
	opPop             = '0'
	opFloat           = 'G'
	opInt4            = 'J'
	opInt1            = 'K'
	opInt2            = 'M'
	opNone            = 'N'
	opReduce          = 'R'
	opText4           = 'X'
	opAppend          = 'a'
	opBuild           = 'b'
	opGlobal          = 'c'
	opAppends         = 'e'
	opGet1            = 'h'
	opGet4            = 'j'
	opPut1            = 'q'
	opPut4            = 'r'
	opSetItem         = 's'
	opTuple           = 't'
	opSetItems        = 'u'
	opEmptyTuple      = ')'
	opEmptyList       = ']'
	opEmptyDict       = '}'
	opProtocol        = 0x80
	opTuple1          = 0x85
	opTuple2          = 0x86
	opTuple3          = 0x87
	opTrue            = 0x88
	opFalse           = 0x89
	opLong1           = 0x8a
	opText1           = 0x8c
	opText8           = 0x8d
	opStackGlobal     = 0x93
	opMemoize         = 0x94
	opFrame           = 0x95
	opBytes4          = 'B'
	opBytes1          = 'C'
	opOldText4        = 'T'
	opOldText1        = 'U'
	longestText       = 1 << 24
	mostMemo          = 1 << 24
	endOfPickle       = "the end of the file"
	expectedOfPickles = "a pickle of dictionaries, lists, texts and numbers"
)

// list is a list or tuple of a pickle. It is shared by all that refer to it.
type list struct{ items []any }

// dict is a dictionary of a pickle whose keys are texts.
type dict map[string]any

// mark separates items of the stack.
type mark struct{}

// global is a Python object, which is not looked up. A call of it returns its first argument: those
// of torch.jit only say the types of values.
type global struct{}

// pickle is a pickle that is read.
type pickle struct {
	in    *bufio.Reader
	at    int64
	stack []any
	memo  map[uint32]any
}

// pickleError is an error at a byte of a pickle.
type pickleError struct {
	at    int64
	found string
}

func (e *pickleError) Error() string { return e.found }

func (p *pickle) fail(format string, a ...any) error {
	return &pickleError{at: p.at, found: fmt.Sprintf(format, a...)}
}

// unpickle reads a value. Unlike Python, it calls nothing.
func unpickle(in io.Reader) (value any, err error) {
	p := pickle{in: bufio.NewReader(in), memo: map[uint32]any{}}
	for {
		op, err := p.in.ReadByte()
		if err != nil {
			return nil, p.end(err)
		}
		p.at++
		if op == opStop {
			return p.pop()
		}
		if err := p.step(op); err != nil {
			return nil, err
		}
	}
}

// end returns the error of a read.
func (p *pickle) end(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return p.fail(endOfPickle)
	}
	return err
}

func (p *pickle) push(v any) error {
	p.stack = append(p.stack, v)
	return nil
}

func (p *pickle) pop() (any, error) {
	n := len(p.stack) - 1
	if n < 0 {
		return nil, p.fail("an empty stack")
	}
	v := p.stack[n]
	p.stack = p.stack[:n]
	return v, nil
}

// since takes all that was pushed since the last mark.
func (p *pickle) since() ([]any, error) {
	for i := len(p.stack) - 1; i >= 0; i-- {
		if _, is := p.stack[i].(mark); is {
			items := append([]any(nil), p.stack[i+1:]...)
			p.stack = p.stack[:i]
			return items, nil
		}
	}
	return nil, p.fail("no mark on the stack")
}

// bytes reads n bytes.
func (p *pickle) bytes(n uint64) ([]byte, error) {
	if n > longestText {
		return nil, p.fail("a text of %d bytes", n)
	}
	var b strings.Builder
	got, err := io.CopyN(&b, p.in, int64(n))
	p.at += got
	if err != nil {
		return nil, p.end(err)
	}
	return []byte(b.String()), nil
}

// whole reads a little-endian number of so many bytes without sign.
func (p *pickle) whole(size uint64) (uint64, error) {
	b, err := p.bytes(size)
	if err != nil {
		return 0, err
	}
	var all [8]byte
	copy(all[:], b)
	return binary.LittleEndian.Uint64(all[:]), nil
}

// text pushes a text whose length has so many bytes.
func (p *pickle) text(size uint64) error {
	n, err := p.whole(size)
	if err != nil {
		return err
	}
	b, err := p.bytes(n)
	if err != nil {
		return err
	}
	return p.push(string(b))
}

func (p *pickle) step(op byte) error {
	switch op {
	case opProtocol:
		_, err := p.whole(1)
		return err
	case opFrame:
		_, err := p.whole(8)
		return err
	case opMark:
		return p.push(mark{})
	case opPop:
		_, err := p.pop()
		return err
	case opNone:
		return p.push(nil)
	case opTrue, opFalse:
		return p.push(op == opTrue)
	case opInt1, opInt2, opInt4, opLong1, opFloat:
		return p.number(op)
	case opText1, opOldText1, opBytes1:
		return p.text(1)
	case opText4, opOldText4, opBytes4:
		return p.text(4)
	case opText8:
		return p.text(8)
	case opPut1, opPut4, opMemoize, opGet1, opGet4:
		return p.remember(op)
	case opGlobal, opStackGlobal, opReduce, opBuild:
		return p.object(op)
	}
	return p.collection(op)
}

func (p *pickle) number(op byte) error {
	size := map[byte]uint64{opInt1: 1, opInt2: 2, opInt4: 4, opFloat: 8}[op]
	if op == opLong1 {
		n, err := p.whole(1)
		if err != nil {
			return err
		}
		if size = n; size > 8 {
			return p.fail("a number of %d bytes", size)
		}
	}
	b, err := p.bytes(size)
	if err != nil {
		return err
	}
	if op == opFloat {
		return p.push(math.Float64frombits(binary.BigEndian.Uint64(b)))
	}
	var all [8]byte
	if copy(all[:], b); size > 0 && b[size-1]&0x80 != 0 && (op == opLong1 || op == opInt4) {
		for i := size; i < 8; i++ {
			all[i] = 0xff
		}
	}
	return p.push(int64(binary.LittleEndian.Uint64(all[:])))
}

// remember keeps the top of the stack in the memo, or pushes what is there.
func (p *pickle) remember(op byte) error {
	key := uint64(len(p.memo))
	if op != opMemoize {
		var err error
		if key, err = p.whole(map[byte]uint64{opPut1: 1, opGet1: 1, opPut4: 4, opGet4: 4}[op]); err != nil {
			return err
		}
	}
	if op == opGet1 || op == opGet4 {
		v, known := p.memo[uint32(key)]
		if !known {
			return p.fail("memo %d, which is empty", key)
		}
		return p.push(v)
	}
	if len(p.stack) == 0 || len(p.memo) >= mostMemo {
		return p.fail("nothing to keep")
	}
	p.memo[uint32(key)] = p.stack[len(p.stack)-1]
	return nil
}

// object handles Python objects.
func (p *pickle) object(op byte) error {
	switch op {
	case opGlobal:
		for range 2 {
			line, err := p.in.ReadString('\n')
			if p.at += int64(len(line)); err != nil {
				return p.end(err)
			}
		}
		return p.push(global{})
	case opStackGlobal:
		for range 2 {
			if _, err := p.pop(); err != nil {
				return err
			}
		}
		return p.push(global{})
	}
	arguments, err := p.pop()
	if err != nil || op == opBuild {
		return err
	}
	if _, err := p.pop(); err != nil {
		return err
	}
	if l, is := arguments.(*list); is && len(l.items) > 0 {
		return p.push(l.items[0])
	}
	return p.push(nil)
}

// collection handles lists, tuples and dictionaries.
func (p *pickle) collection(op byte) error {
	switch op {
	case opEmptyList, opEmptyTuple:
		return p.push(&list{})
	case opEmptyDict:
		return p.push(dict{})
	case opTuple1, opTuple2, opTuple3:
		n := int(op-opTuple1) + 1
		if len(p.stack) < n {
			return p.fail("an empty stack")
		}
		items := append([]any(nil), p.stack[len(p.stack)-n:]...)
		p.stack = p.stack[:len(p.stack)-n]
		return p.push(&list{items})
	case opTuple:
		items, err := p.since()
		if err != nil {
			return err
		}
		return p.push(&list{items})
	case opAppend, opAppends, opSetItem, opSetItems:
		return p.fill(op)
	}
	return p.fail("opcode %#x", op)
}

// fill adds items to the list or dictionary below them.
func (p *pickle) fill(op byte) (err error) {
	var items []any
	switch n := map[byte]int{opAppend: 1, opSetItem: 2}[op]; {
	case n == 0:
		items, err = p.since()
	case len(p.stack) < n:
		err = p.fail("an empty stack")
	default:
		items = append(items, p.stack[len(p.stack)-n:]...)
		p.stack = p.stack[:len(p.stack)-n]
	}
	if err != nil {
		return err
	}
	if len(p.stack) == 0 {
		return p.fail("an empty stack")
	}
	switch to := p.stack[len(p.stack)-1].(type) {
	case *list:
		if op == opAppend || op == opAppends {
			to.items = append(to.items, items...)
			return nil
		}
	case dict:
		if (op == opSetItem || op == opSetItems) && len(items)%2 == 0 {
			for i := 0; i < len(items); i += 2 {
				key, is := items[i].(string)
				if !is {
					return p.fail("a key that is no text")
				}
				to[key] = items[i+1]
			}
			return nil
		}
	}
	return p.fail("items that fit nowhere")
}
