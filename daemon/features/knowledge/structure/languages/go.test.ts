import { expect, it } from 'vitest';
import { openCode, showCode } from '../../../../testing/parts/code-structure.js';

const read = openCode();

it('declares types, functions, methods and values, public with a capital', () => {
  const found = read(
    'town/a.go',
    `package town

// Limit is most. So.
const Limit = 5

const (
	First, second = 1, "x"
	third int = iota
)

var ErrGone = errors.New("gone")
var errBad, plain = fmt.Errorf("bad %d", 1), other

// Shop sells.
type Shop struct {
	*Base
	kinds.Other
	Plain
	Name, size string
	store *st.Store \`json:"x"\`
}

type (
	Seller interface {
		Closer
		Sell(count int, names ...string) error
	}
	name = string
	list []Shop
)

func (s *Shop) Sell(a, b int) error { return nil }
func (Shop) none() {}
func Open[T any](x T) *Shop { return &Shop{Name: "x", size: y} }
`,
  );
  expect(showCode(found)).toEqual([
    'package town',
    'a module',
    'export constant Limit 4: Limit is most.',
    'export constant First 7',
    'constant second 7',
    'constant third 8',
    'export variable ErrGone 11',
    'variable errBad 12',
    'variable plain 12',
    'export struct Shop 15-21: Shop sells.',
    'export field Shop.Name 19',
    'field Shop.size 19',
    'field Shop.store 20',
    'export interface Seller 24-27',
    'export method Seller.Sell(count: int, names: string) 26',
    'type name 28',
    'type list 29',
    'export method Shop.Sell(a: int, b: int) 32',
    'method Shop.none() 33',
    'export function Open(x: T) 34',
    'call errors.New 11',
    'read errors 11',
    'call fmt.Errorf 12',
    'read fmt 12',
    'read other 12',
    'extend Base 16 in Shop',
    'extend Other 17 in Shop',
    'extend Plain 18 in Shop',
    'type Store 20 in Shop',
    'extend Closer 25 in Seller',
    'type Shop 29 in list',
    'type Shop 32 in Shop.Sell',
    'type Shop 33 in Shop.none',
    'read T 34 in Open',
    'type T 34 in Open',
    'type Shop 34 in Open',
    'read y 34 in Open',
    'error define ErrGone (gone) 11',
    'error define errBad (bad %d) 12',
    'value Limit = 5 4',
    'value First = 1 7',
    'value second = "x" 7',
    'value third = iota 8',
    'value plain = other 12',
  ]);
});

it('begins in the main function of the main package', () => {
  const found = read(
    'cmd/main.go',
    `package main

func main() {}

func (s *Shop) main() {}
`,
  );
  expect(showCode(found)).toEqual([
    'package main',
    'a module',
    'function main() 3',
    'method Shop.main() 5',
    'type Shop 5 in Shop.main',
    'entry main function main 3',
  ]);
});

it('begins nowhere in another package', () => {
  const found = read(
    'a.go',
    `package town

func main() {}
`,
  );
  expect(showCode(found)).toEqual(['package town', 'a module', 'function main() 3']);
});

it('begins nowhere in a file that a build leaves out', () => {
  const found = read(
    'a.go',
    `//go:build ignore

package main

func main() {}
`,
  );
  expect(showCode(found)).toEqual(['package main', 'a module', 'function main() 5']);
});

it('begins nowhere in a file that a build left out by its old mark', () => {
  const found = read(
    'a.go',
    `// +build ignore

package main

func main() {}
`,
  );
  expect(showCode(found)).toEqual(['package main', 'a module', 'function main() 5']);
});

it('begins where the mark stands below the package', () => {
  const found = read(
    'a.go',
    `// Not built.

package main

//go:build ignore

func main() {}
`,
  );
  expect(showCode(found)).toEqual(['package main', 'a module', 'function main() 7', 'entry main function main 7']);
});

it('knows what a value is by its type, its literal and its maker', () => {
  const found = read(
    'town/a.go',
    `package town

var top Store
var made = NewMade()

func (s *Shop) run(shop *kinds.Shop, count int) {
	a := &Lamp{}
	b := Road{}
	c := new(Town)
	d := kinds.NewBank()
	e := newInner()
	f, err := open(), other()
	g := x.(Wall)
	h, ok := NewDoor()
	k, l := &Lamp{}, &Sun{}
	var i Gate
	var j = NewHall()
	a.light()
	b.walk()
	c.live()
	d.pay()
	e.in()
	f.no()
	err.Error()
	g.build()
	h.open()
	ok.no()
	i.close()
	j.hold()
	k.light()
	l.rise()
	top.load()
	made.go1()
	s.sell()
	s.store.load()
	shop.open()
	(a).dim()
	(&b).go2()
	find().go3()
	pkg.Value.go4()
	unknown.go5()
	Shop{}.go6()
}

type Shop struct { store *Store }
`,
  );
  expect(showCode(found)).toEqual([
    'package town',
    'a module',
    'variable top 3',
    'variable made 4',
    'method Shop.run(shop: *kinds.Shop, count: int) 6-43',
    'export struct Shop 45',
    'field Shop.store 45',
    'type Store 3',
    'call NewMade 4',
    'type Shop 6 in Shop.run',
    'type Lamp 7 in Shop.run',
    'type Road 8 in Shop.run',
    'call new 9 in Shop.run',
    'type Town 9 in Shop.run',
    'call kinds.NewBank 10 in Shop.run',
    'read kinds 10 in Shop.run',
    'call newInner 11 in Shop.run',
    'call open 12 in Shop.run',
    'call other 12 in Shop.run',
    'read x 13 in Shop.run',
    'type Wall 13 in Shop.run',
    'call NewDoor 14 in Shop.run',
    'type Lamp 15 in Shop.run',
    'type Sun 15 in Shop.run',
    'type Gate 16 in Shop.run',
    'call NewHall 17 in Shop.run',
    'call Lamp.light 18 in Shop.run',
    'call Road.walk 19 in Shop.run',
    'call Town.live 20 in Shop.run',
    'call Bank.pay 21 in Shop.run',
    'call Inner.in 22 in Shop.run',
    'call ?.no 23 in Shop.run',
    'call ?.Error 24 in Shop.run',
    'call Wall.build 25 in Shop.run',
    'call Door.open 26 in Shop.run',
    'call ?.no 27 in Shop.run',
    'call Gate.close 28 in Shop.run',
    'call Hall.hold 29 in Shop.run',
    'call Lamp.light 30 in Shop.run',
    'call Sun.rise 31 in Shop.run',
    'call Store.load 32 in Shop.run',
    'read top 32 in Shop.run',
    'call Made.go1 33 in Shop.run',
    'read made 33 in Shop.run',
    'call Shop.sell 34 in Shop.run',
    'call Store.load 35 in Shop.run',
    'read Shop.store 35 in Shop.run',
    'call Shop.open 36 in Shop.run',
    'call Lamp.dim 37 in Shop.run',
    'call Road.go2 38 in Shop.run',
    'call ?.go3 39 in Shop.run',
    'call find 39 in Shop.run',
    'call Value.go4 40 in Shop.run',
    'read pkg.Value 40 in Shop.run',
    'read pkg 40 in Shop.run',
    'call unknown.go5 41 in Shop.run',
    'read unknown 41 in Shop.run',
    'call Shop.go6 42 in Shop.run',
    'type Shop 42 in Shop.run',
    'type Store 45 in Shop',
  ]);
});

it('counts no local name as a use, and every other', () => {
  const found = read(
    'town/a.go',
    `package town

func f(given int, list []string) (out int) {
	for i, each := range list {
		use(i, each, top)
	}
	for j := 0; j < top; j++ {
		use(j)
	}
	if own, err := go1(); err != nil {
		use(own)
	}
	func(inner int) { use(inner, given) }(1)
	switch x := top.(type) {
	case int:
		y := 1
		use(x, y)
	}
	own = 2
	return out
}
`,
  );
  expect(showCode(found)).toEqual([
    'package town',
    'a module',
    'function f(given: int, list: []string) 3-21',
    'call use 5 in f',
    'read top 5 in f',
    'read top 7 in f',
    'call use 8 in f',
    'call go1 10 in f',
    'call use 11 in f',
    'call use 13 in f',
    'read top 14 in f',
    'call use 17 in f',
    'read own 19 in f',
  ]);
});

it('imports packages under their last name or another', () => {
  const found = read(
    'a.go',
    `package town

import "fmt"
import (
	"example.com/x/v2"
	st "example.com/x/store"
	. "example.com/dots"
	_ "example.com/none"
	"example.com/go-lamp"
	"example.com/road.go"
	"example.com/wall.v3"
)
`,
  );
  expect(showCode(found)).toEqual([
    'package town',
    'a module',
    'import fmt (* as fmt) 3',
    'import example.com/x/v2 (* as x) 5',
    'import example.com/x/store (* as st) 6',
    'import example.com/dots (* as .) 7',
    'import example.com/none (* as _) 8',
    'import example.com/go-lamp (* as lamp) 9',
    'import example.com/road.go (* as road) 10',
    'import example.com/wall.v3 (* as wall) 11',
  ]);
});

it('reads the environment by its functions', () => {
  const found = read(
    'a.go',
    `package town

func f() {
	os.Getenv("HOME_A")
	os.LookupEnv("HOME_B")
	syscall.Getenv("HOME_C")
	os.Getenv(nameD)
	os.GetenvX("NO")
	my.os.Getenv("HOME_E")
}
`,
  );
  expect(showCode(found)).toEqual([
    'package town',
    'a module',
    'function f() 3-10',
    'call os.Getenv 4 in f',
    'read os 4 in f',
    'call os.LookupEnv 5 in f',
    'read os 5 in f',
    'call syscall.Getenv 6 in f',
    'read syscall 6 in f',
    'call os.Getenv 7 in f',
    'read os 7 in f',
    'read nameD 7 in f',
    'call os.GetenvX 8 in f',
    'read os 8 in f',
    'call os.Getenv 9 in f',
    'read my.os 9 in f',
    'read my 9 in f',
    'reads HOME_A 4',
    'reads HOME_B 5',
    'reads HOME_C 6',
    'reads $nameD 7',
    'reads @GetenvX:NO 8',
    'reads HOME_E 9',
  ]);
});

it('serves routes of routers', () => {
  const found = read(
    'a.go',
    `package town

func f() {
	http.HandleFunc("/a", show)
	http.Handle("POST /b", handler)
	r.GET("/c", list)
	r.Method("PUT", "/d", put)
	r.Method(verb, "/e", put)
	r.Any("/f", any1)
	r.Get("g", no)
	r.Get("/h")
	r.Use("/i", no)
	Get("/j", no)
	r.Delete("/k", func(w int) {
		go1()
	})
}
`,
  );
  expect(showCode(found)).toEqual([
    'package town',
    'a module',
    'function f() 3-17',
    'call http.HandleFunc 4 in f',
    'read http 4 in f',
    'read show 4 in f',
    'call http.Handle 5 in f',
    'read http 5 in f',
    'read handler 5 in f',
    'call r.GET 6 in f',
    'read r 6 in f',
    'read list 6 in f',
    'call r.Method 7 in f',
    'read r 7 in f',
    'read put 7 in f',
    'call r.Method 8 in f',
    'read r 8 in f',
    'read verb 8 in f',
    'read put 8 in f',
    'call r.Any 9 in f',
    'read r 9 in f',
    'read any1 9 in f',
    'call r.Get 10 in f',
    'read r 10 in f',
    'read no 10 in f',
    'call r.Get 11 in f',
    'read r 11 in f',
    'call r.Use 12 in f',
    'read r 12 in f',
    'read no 12 in f',
    'call Get 13 in f',
    'read no 13 in f',
    'call r.Delete 14 in f',
    'read r 14 in f',
    'call go1 15 in f',
    'reads @Method:PUT 7',
    'serves ANY /a show 4',
    'serves POST /b handler 5',
    'serves GET /c list 6',
    'serves PUT /d put 7',
    'serves ANY /e put 8',
    'serves ANY /f any1 9',
    'serves DELETE /k func(w int) { 14',
  ]);
});

it('returns errors with what they say', () => {
  const found = read(
    'a.go',
    `package town

func f() error {
	return errors.New("gone")
	return 1, fmt.Errorf("bad %d", 1)
	return errors.Is("no")
	return
}
`,
  );
  expect(showCode(found)).toEqual([
    'package town',
    'a module',
    'function f() 3-8',
    'call errors.New 4 in f',
    'read errors 4 in f',
    'call fmt.Errorf 5 in f',
    'read fmt 5 in f',
    'call errors.Is 6 in f',
    'read errors 6 in f',
    'error return errors.New (gone) 4',
    'error return fmt.Errorf (bad %d) 5',
  ]);
});

it('ends a local name with what declares it', () => {
  const found = read(
    'a.go',
    `package town

func f(one int) { use(one) }
func (s *S) m(two int) { use(two, s) }

var g = func(three int) { use(three) }

func h() {
	{
		four := 1
		use(four)
	}
	for five := 0; five < 1; five++ {
	}
	if six := x(); six {
	}
	switch x {
	case 1:
		seven := 1
		use(seven)
	}
	switch x.(type) {
	case int:
		eight := 1
		use(eight)
	}
	select {
	case nine := <-c:
		ten := nine
		use(nine, ten)
	case known = <-c:
		use(known)
	}
	use(one, two, s, three, four, five, six, seven, eight, nine, ten)
}

type I interface{ M(eleven int) }
type F func(twelve int)

var v = eleven + twelve
`,
  );
  expect(showCode(found)).toEqual([
    'package town',
    'a module',
    'function f(one: int) 3',
    'method S.m(two: int) 4',
    'variable g 6',
    'function h() 8-35',
    'export interface I 37',
    'export method I.M(eleven: int) 37',
    'export type F 38',
    'variable v 40',
    'call use 3 in f',
    'type S 4 in S.m',
    'call use 4 in S.m',
    'call use 6',
    'call use 11 in h',
    'call x 15 in h',
    'read x 17 in h',
    'call use 20 in h',
    'read x 22 in h',
    'call use 25 in h',
    'read c 28 in h',
    'call use 30 in h',
    'read known 31 in h',
    'read c 31 in h',
    'call use 32 in h',
    'read known 32 in h',
    'call use 34 in h',
    'read one 34 in h',
    'read two 34 in h',
    'read s 34 in h',
    'read three 34 in h',
    'read four 34 in h',
    'read five 34 in h',
    'read six 34 in h',
    'read seven 34 in h',
    'read eight 34 in h',
    'read nine 34 in h',
    'read ten 34 in h',
    'read eleven 40',
    'read twelve 40',
    'value g = func(three int) { use(three) } 6',
    'value v = eleven + twelve 40',
  ]);
});

it('has the comment before the declaration that holds it alone', () => {
  const found = read(
    'a.go',
    `package town

// One is.
type One struct{}

// Not these.
const (
	// Two is.
	Two = 2
	Three = 3
)

// Four is.
var Four = 4

// Not these.
type (
	// Five is.
	Five int
	Six int
)

// Seven is.
func Seven() {}
`,
  );
  expect(showCode(found)).toEqual([
    'package town',
    'a module',
    'export struct One 4: One is.',
    'export constant Two 9: Two is.',
    'export constant Three 10',
    'export variable Four 14: Four is.',
    'export type Five 19: Five is.',
    'export type Six 20',
    'export function Seven() 24: Seven is.',
    'value Two = 2 9',
    'value Three = 3 10',
    'value Four = 4 14',
  ]);
});
