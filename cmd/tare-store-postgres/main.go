// Command tare-store-postgres keeps the histories of tare in PostgreSQL, for
// tare history -store postgres://…, which starts it. It is a module of its own,
// so that tare does not carry a database driver.
//
//	tare-store-postgres postgres://user@host/database
//
// It reads requests from standard input and answers them in turn on standard
// output, a line of JSON each; see internal/history.OpenProgram. The files of
// a history are the rows of the table tare_history, which it creates.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/jackc/pgx/v5"
)

// request and answer are those of internal/history.
type request struct {
	Op   string `json:"op"`
	Name string `json:"name,omitempty"`
	Data []byte `json:"data,omitempty"`
}

type answer struct {
	Error string   `json:"error,omitempty"`
	Names []string `json:"names,omitempty"`
	Data  []byte   `json:"data,omitempty"`
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: tare-store-postgres postgres://user@host/database")
		os.Exit(2)
	}
	if err := serve(context.Background(), os.Args[1], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "tare-store-postgres: %v\n", err)
		os.Exit(1)
	}
}

func serve(ctx context.Context, address string, in io.Reader, out io.Writer) error {
	db, err := pgx.Connect(ctx, address)
	if err != nil {
		return fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	defer db.Close(ctx)
	if err := create(ctx, db); err != nil {
		return fmt.Errorf("create table tare_history: %w", err)
	}
	read, write := json.NewDecoder(bufio.NewReader(in)), json.NewEncoder(out)
	for {
		var r request
		if err := read.Decode(&r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read request: %w", err)
		}
		a, err := do(ctx, db, r)
		if err != nil {
			a.Error = err.Error()
		}
		if err := write.Encode(a); err != nil {
			return fmt.Errorf("write answer: %w", err)
		}
	}
}

// create makes the table. The lock is for several writers at once, the first
// of a new database: CREATE TABLE IF NOT EXISTS alone can fail then.
func create(ctx context.Context, db *pgx.Conn) error {
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(7461726568697374)")
		if err == nil {
			_, err = tx.Exec(ctx, "CREATE TABLE IF NOT EXISTS tare_history (name text PRIMARY KEY, data bytea NOT NULL, added timestamptz NOT NULL DEFAULT now())")
		}
		return err
	})
}

func do(ctx context.Context, db *pgx.Conn, r request) (a answer, err error) {
	switch r.Op {
	case "put":
		if r.Data == nil {
			r.Data = []byte{} // NULL otherwise
		}
		tag, err := db.Exec(ctx, "INSERT INTO tare_history (name, data) VALUES ($1, $2) ON CONFLICT DO NOTHING", r.Name, r.Data)
		if err == nil && tag.RowsAffected() == 0 {
			err = fmt.Errorf("%s is in the history already", r.Name)
		}
		return a, err
	case "list":
		rows, err := db.Query(ctx, `SELECT name FROM tare_history ORDER BY name COLLATE "C"`)
		if err != nil {
			return a, err
		}
		a.Names, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return a, err
	case "get":
		return a, db.QueryRow(ctx, "SELECT data FROM tare_history WHERE name = $1", r.Name).Scan(&a.Data)
	}
	return a, fmt.Errorf("unknown request %q", r.Op)
}
