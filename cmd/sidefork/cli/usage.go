package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Wrong usage in sentences of our own: what the libraries say of flags and arguments is for programmers.

// flagError says what is wrong with a flag.
func flagError(_ *cobra.Command, err error) error {
	if no, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if letter := no.GetSpecifiedName(); no.GetSpecifiedShortnames() != "" {
			return fmt.Errorf("there is no flag -%s", letter)
		}
		return fmt.Errorf("there is no flag --%s", no.GetSpecifiedName())
	}
	if no, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return fmt.Errorf("--%s wants a value", no.GetFlag().Name)
	}
	if no, ok := errors.AsType[*pflag.InvalidSyntaxError](err); ok {
		return fmt.Errorf("%s is no flag", no.GetSpecifiedFlag())
	}
	if no, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		why := no.Unwrap().Error()
		switch no.GetFlag().Value.Type() {
		case "int":
			why = "it is no whole number"
		case "bool":
			why = "it is neither true nor false"
		}
		return fmt.Errorf("--%s cannot be %q: %s", no.GetFlag().Name, no.GetValue(), why)
	}
	return err
}

// arguments wants so many arguments beside the flags.
func arguments(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) >= least && len(args) <= most {
			return nil
		}
		counted := fmt.Sprintf("%d arguments were", len(args))
		if len(args) == 1 {
			counted = "1 argument was"
		}
		return fmt.Errorf("%s given to: sidefork %s", counted, c.Use)
	}
}

// exclude refuses flags of which one leaves no sense to another: of each group at most one may be given.
func exclude(set *pflag.FlagSet, groups ...[]string) error {
	for _, group := range groups {
		var given []string
		for _, name := range group {
			if f := set.Lookup(name); f.Changed && f.Value.String() != "false" {
				given = append(given, "--"+name)
			}
		}
		if len(given) > 1 {
			return fmt.Errorf("%s exclude each other: give only one of them", strings.Join(given, " and "))
		}
	}
	return nil
}
