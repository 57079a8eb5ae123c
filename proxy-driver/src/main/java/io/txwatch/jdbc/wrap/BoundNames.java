package io.txwatch.jdbc.wrap;

import io.txwatch.catalog.NamePath;
import io.txwatch.dialect.NameBinding;
import io.txwatch.jdbc.execution.ExecutionContext;
import io.txwatch.jdbc.plan.StatementOptions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * The database or schema in which the names of a statement are looked up, where that is not the
 * session's at the time of the execution. A text that is prepared in the place of another one must
 * be prepared there, or a write goes to another table.
 */
final class BoundNames {

  private final ExecutionContext context;
  private final NameBinding binding;
  private NamePath then;
  private boolean executed;

  /** How often statements had been compiled again when this one was compiled. */
  private long compilations;

  private BoundNames(ExecutionContext context, NameBinding binding) {
    this.context = context;
    this.binding = binding;
    this.then = context.state().catalog().names();
    this.compilations = context.state().catalog().compilations();
  }

  /** Of a statement of the driver's that was made just now. */
  static BoundNames of(ExecutionContext context, Statement made) {
    return new BoundNames(
        context, context.sql().driver().bindsNames(made.getClass().getSimpleName()));
  }

  /** Names are bound from now on, if not before. */
  void executed() {
    if (binding == NameBinding.FIRST_EXECUTION && !executed) {
      then = context.state().catalog().names();
      executed = true;
    } else if (binding == NameBinding.COMPILATION && isCompiledAnew()) {
      then = context.state().catalog().names();
      compilations = context.state().catalog().compilations();
    }
  }

  /** True if names are looked up elsewhere than in a statement that is made now. */
  boolean isElsewhere() {
    NamePath now = context.state().catalog().names();
    return switch (binding) {
      case EXECUTION -> false;
      case CALL -> !then.called().equals(now.called());
      case PREPARATION -> !then.equals(now);
      case COMPILATION -> !then.equals(now) && !isCompiledAnew();
      case FIRST_EXECUTION -> executed && !then.path().equals(now.path());
    };
  }

  /**
   * True if a text that was prepared elsewhere may have been compiled here since, for our own
   * connections are such a change, too.
   */
  boolean mayHaveMoved() {
    return binding == NameBinding.COMPILATION;
  }

  /** True if the next execution compiles the application's text where the session is by then. */
  private boolean isCompiledAnew() {
    return compilations != context.state().catalog().compilations();
  }

  /** True if a text can be prepared where the statement was made. */
  boolean mayPrepare() {
    NamePath now = context.state().catalog().names();
    return !isElsewhere()
        || (binding != NameBinding.FIRST_EXECUTION // which comes after the way back
            && place().size() == 1
            && now.path().size() == 1
            && now.path().equals(now.called()));
  }

  private List<String> place() {
    return binding == NameBinding.CALL ? then.called() : then.path();
  }

  /** Prepares a text where the statement was made, and leaves the session where it is. */
  PreparedStatement prepare(StatementOptions options, String text) throws SQLException {
    Connection real = context.real();
    if (!isElsewhere() || !mayPrepare()) {
      return options.preparer().prepare(real, text);
    }
    String now = context.state().catalog().names().path().get(0);
    boolean byCatalog =
        context.state().catalog().namesAreDatabases() && now.equals(real.getCatalog());
    change(real, byCatalog, place().get(0));
    try {
      return options.preparer().prepare(real, text);
    } finally {
      change(real, byCatalog, now);
    }
  }

  private static void change(Connection real, boolean byCatalog, String to) throws SQLException {
    if (byCatalog) {
      real.setCatalog(to);
    } else {
      real.setSchema(to);
    }
  }
}
