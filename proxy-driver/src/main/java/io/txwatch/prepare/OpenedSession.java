package io.txwatch.prepare;

import java.util.List;

/**
 * How a session begins, asked of itself: what the server hands to new sessions may change while it
 * runs ({@code SET GLOBAL}, {@code ALTER SYSTEM}, {@code ALTER ROLE}), so what an earlier one said
 * does not do.
 *
 * @param path the schemas in which it looks unqualified names up, first first
 * @param otherLexis true if it reads texts in another way than we do ({@link Lexis})
 * @param storesAsGiven true if values are stored as they are given, or refused
 */
record OpenedSession(List<String> path, boolean otherLexis, boolean storesAsGiven) {}
