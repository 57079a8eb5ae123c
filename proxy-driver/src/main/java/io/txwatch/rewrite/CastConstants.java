package io.txwatch.rewrite;

import io.txwatch.plan.ValuePlan.Cast;
import io.txwatch.sql.syntax.Expression;
import io.txwatch.sql.syntax.Tokens;
import java.util.Locale;

/** Constants in a cast that leaves values of its own type as they are. */
final class CastConstants {

  private CastConstants() {}

  /** To what an expression casts a constant; {@link Cast#NONE} also for any other cast. */
  static Cast of(Expression expression, Tokens tokens) {
    if (!(expression instanceof Expression.Call call)
        || call.name().size() != 1
        || !call.name().get(0).equalsIgnoreCase("CAST")
        || call.parts().size() != 2
        || !(call.parts().get(1) instanceof Expression.Type type)
        || type.span().to() != type.span().from() + 1) {
      return Cast.NONE;
    }
    return switch (tokens.text(type.span().from()).toUpperCase(Locale.ROOT)) {
      case "INT", "INTEGER", "SMALLINT", "BIGINT", "SIGNED" -> Cast.INTEGER;
      case "VARCHAR", "TEXT" -> Cast.TEXT;
      default -> Cast.NONE;
    };
  }

  /** What an expression casts for which {@link #of} names a type. */
  static Expression inside(Expression cast) {
    return ((Expression.Call) cast).parts().get(0).unwrapped();
  }
}
