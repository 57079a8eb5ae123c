/**
 * Anomaly patterns: sequences of operations of two transactions that a level rules out (Anomaly
 * Pattern-guided Transaction Bug Testing, Liu et al., SIGMOD 2026, definition 2.1, tables 2 and 3).
 *
 * <p>The patterns are lines of text in the resource {@code anomaly-patterns.txt}; a line more is a
 * pattern more. {@link io.txwatch.pattern.PatternConstraints} are what generation needs of a
 * pattern (section 3.3.1), {@link io.txwatch.pattern.PatternMatcher} finds a pattern in what an
 * execution has recorded (section 3.5.2).
 */
@NullMarked
package io.txwatch.pattern;

import org.jspecify.annotations.NullMarked;
