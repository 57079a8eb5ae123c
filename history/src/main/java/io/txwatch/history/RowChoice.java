package io.txwatch.history;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How a query chose the rows of one table: all rows for which a condition is true, and no others.
 *
 * @param table the table's name, as in {@link RowAccess}
 * @param condition when a row is chosen
 * @param constants the values of the condition's {@linkplain RowCondition.Constant constants}: null
 *     is NULL, {@link RowChange#WITHHELD} one that is not known
 * @param used the columns, in lower case, on which the result certainly depends in each row that is
 *     chosen, apart from the condition
 * @param showsKeys whether {@link Event.ValuesObserved#reads} has the key of each row that was
 *     chosen
 */
public record RowChoice(
    String table,
    RowCondition condition,
    List<@Nullable Object> constants,
    Set<String> used,
    boolean showsKeys) {}
