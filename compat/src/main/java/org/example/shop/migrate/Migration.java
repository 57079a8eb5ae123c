package org.example.shop.migrate;

import java.util.List;

/** A migration tool. */
interface Migration {

  /** Brings the schema to a release; returns what the tool reports, one fact a line. */
  List<String> to(int release) throws Exception;

  /** Validates what was applied, and returns what the tool states of it, one fact a line. */
  List<String> status() throws Exception;

  /** The tool's own tables, without times. */
  List<String> history() throws Exception;
}
