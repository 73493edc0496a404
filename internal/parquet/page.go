package parquet

// pageHeader is the PageHeader before a page. Sizes are in bytes.
type pageHeader struct {
	Kind         int32
	Uncompressed int32
	Compressed   int32
	_            unused // checksum
	Data         *dataHeader
	_            unused // an index
	Dictionary   *dictionaryHeader
	Second       *secondHeader
}

// dataHeader is a DataPageHeader.
type dataHeader struct {
	Values     int32
	Encoding   int32
	Definition int32 // encodings of levels
	Repetition int32
}

// dictionaryHeader is a DictionaryPageHeader.
type dictionaryHeader struct{ Values, Encoding int32 }

// secondHeader is a DataPageHeaderV2.
type secondHeader struct {
	Values     int32
	_, _       unused // nulls, rows
	Encoding   int32
	Definition int32 // bytes of levels
	Repetition int32
	Compressed *bool // nil: true
}

// page is a page that is being read.
type page struct {
	kind         int32
	encoding     int32
	values       int
	levels       int // bytes before the values, which are not compressed
	uncompressed int // bytes of all
	plain        bool
	body         []byte
}

// decodePage decodes the header of a page, and returns the bytes after the page.
func decodePage(b []byte) (p page, rest []byte, err error) {
	var h pageHeader
	if b, err = decodeThrift(b, &h); err != nil {
		return page{}, nil, err
	}
	p = page{kind: h.Kind, uncompressed: int(h.Uncompressed)}
	switch {
	case h.Kind == pageData && h.Data != nil:
		p.values, p.encoding = int(h.Data.Values), h.Data.Encoding
	case h.Kind == pageDictionary && h.Dictionary != nil:
		p.values, p.encoding = int(h.Dictionary.Values), encodePlain
	case h.Kind == pageDataV2 && h.Second != nil:
		s := h.Second
		p.values, p.encoding = int(s.Values), s.Encoding
		p.levels = int(s.Definition) + int(s.Repetition)
		p.plain = s.Compressed != nil && !*s.Compressed
	}
	size := int(h.Compressed)
	if size < 0 || size > len(b) || p.levels < 0 || p.levels > min(size, p.uncompressed) ||
		p.uncompressed < 0 || p.uncompressed > maxPage || p.values < 0 || p.values > maxValues {
		return page{}, nil, errBroken
	}
	p.body = b[:size]
	return p, b[size:], nil
}

// unpacked returns the values of a page as they were before they were compressed.
func (p *page) unpacked(codec int32) ([]byte, error) {
	if p.plain {
		return p.body[p.levels:], nil
	}
	return decompress(codec, p.body[p.levels:], p.uncompressed-p.levels)
}
