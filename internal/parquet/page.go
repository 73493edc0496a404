package parquet

// pageHeader is the header before a page.
type pageHeader struct {
	kind         int
	uncompressed int
	compressed   int
	values       int
	encoding     int
	definition   int // of version 2: bytes of definition levels
	repetition   int
	plain        bool // of version 2: the values are not compressed
}

// encode returns the header of a version 1 page.
func (h *pageHeader) encode() []byte {
	w := &thriftWriter{}
	w.element(func() {
		w.i32(1, h.kind)
		w.i32(2, h.uncompressed)
		w.i32(3, h.compressed)
		if h.kind == pageDictionary {
			w.structure(7, func() {
				w.i32(1, h.values)
				w.i32(2, encodePlain)
			})
			return
		}
		w.structure(5, func() {
			w.i32(1, h.values)
			w.i32(2, h.encoding)
			w.i32(3, encodeRLE) // of definition levels
			w.i32(4, encodeRLE) // of repetition levels
		})
	})
	return w.b
}

// decodePage parses a page header, and returns the bytes after it.
func decodePage(b []byte) (h pageHeader, rest []byte, err error) {
	r := &thriftReader{b: b}
	r.fields(func(number int16, kind byte) {
		switch {
		case number == 1:
			h.kind = int(r.whole(kind))
		case number == 2:
			h.uncompressed = int(r.whole(kind))
		case number == 3:
			h.compressed = int(r.whole(kind))
		case (number == 5 || number == 7) && kind == thriftStruct:
			r.fields(func(number int16, kind byte) {
				switch number {
				case 1:
					h.values = int(r.whole(kind))
				case 2:
					h.encoding = int(r.whole(kind))
				default:
					r.skip(kind)
				}
			})
		case number == 8 && kind == thriftStruct:
			r.fields(h.second(r))
		default:
			r.skip(kind)
		}
	})
	if r.err == nil &&
		(h.compressed < 0 || h.compressed > len(r.b) || h.uncompressed < 0 || h.uncompressed > maxPage ||
			h.values < 0 || h.values > maxValues || h.definition < 0 || h.repetition < 0 ||
			h.definition > h.compressed-h.repetition) {
		r.fail()
	}
	return h, r.b, r.err
}

// second returns a function that parses the fields of a version 2 page header.
func (h *pageHeader) second(r *thriftReader) func(number int16, kind byte) {
	return func(number int16, kind byte) {
		switch number {
		case 1:
			h.values = int(r.whole(kind))
		case 4:
			h.encoding = int(r.whole(kind))
		case 5:
			h.definition = int(r.whole(kind))
		case 6:
			h.repetition = int(r.whole(kind))
		case 7:
			h.plain = kind == thriftFalse
		default:
			r.skip(kind)
		}
	}
}
