package io.txwatch.cli;

import io.txwatch.campaign.Campaign;
import io.txwatch.dbms.Dbms;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.Oracle;
import io.txwatch.reduction.CaseShape;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.testcase.CaseFormatException;
import io.txwatch.testcase.CaseReader;
import io.txwatch.testcase.TestCase;
import java.io.IOException;
import java.io.Reader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashSet;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What is left in a folder of findings for a later campaign: the file {@code campaign.properties}
 * with which it continues, and the findings, which it does not report again.
 *
 * @param seed the seed
 * @param next the number of the case with which it continues
 * @param plan what determines the cases besides the seed
 */
record CampaignState(long seed, long next, String plan) {

  private static final String FILE = "campaign.properties";

  /** More cases than a campaign of a year executes. */
  private static final long MAX_CASE = 1L << 48;

  /** The state of a campaign. */
  static CampaignState of(Campaign campaign, Campaign.Plan plan, Dbms dbms) {
    return new CampaignState(plan.seed(), campaign.nextCase(), planOf(plan, dbms));
  }

  /** What determines a campaign's cases besides the seed. */
  static String planOf(Campaign.Plan plan, Dbms dbms) {
    return dbms.describe()
        + ", "
        + plan.levels().stream().map(IsolationLevel::name).collect(Collectors.joining(" "))
        + ", "
        + plan.oracles().stream().map(Oracle::name).collect(Collectors.joining(" "))
        + ", "
        + plan.maxStatements()
        + " statements"
        + (plan.modes().contains(Campaign.Mode.LEARNT_WEIGHTS) ? ", learnt weights" : "");
  }

  /**
   * Reads the state in a folder.
   *
   * @throws CommandException if there is none
   */
  static CampaignState read(Path folder) throws IOException {
    Path file = folder.resolve(FILE);
    if (!Files.isRegularFile(file)) {
      throw CommandException.badInput(
          "--resume: there is no " + file + "; a campaign with --out writes it");
    }
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
      long next = number(properties, "next");
      if (next < 0 || next > MAX_CASE) {
        throw new IllegalArgumentException("next=" + next + " is no number of a case");
      }
      return new CampaignState(number(properties, "seed"), next, value(properties, "plan"));
    } catch (IllegalArgumentException e) {
      throw CommandException.badInput("--resume: " + file + " is damaged: " + e.getMessage());
    }
  }

  private static long number(Properties properties, String key) {
    String value = value(properties, key);
    try {
      return Long.parseLong(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(key + "=" + value + " is not a number", e);
    }
  }

  private static String value(Properties properties, String key) {
    String value = properties.getProperty(key);
    if (value == null) {
      throw new IllegalArgumentException("there is no " + key + "=");
    }
    return value;
  }

  /**
   * Requires that a campaign continues this one.
   *
   * @return this
   * @throws CommandException if it has another plan
   */
  CampaignState require(Campaign.Plan now, Dbms dbms, Path folder) {
    String planned = planOf(now, dbms);
    if (!plan.equals(planned)) {
      throw CommandException.badInput(
          "--resume: the campaign in " + folder + " was " + plan + "; this is " + planned);
    }
    return this;
  }

  /** Writes the state into a folder, at once. */
  void write(Path folder) throws IOException {
    Properties properties = new Properties();
    properties.setProperty("seed", Long.toString(seed));
    properties.setProperty("next", Long.toString(next));
    properties.setProperty("plan", plan);
    StringWriter text = new StringWriter();
    properties.store(text, "for txwatch fuzz --resume");
    Path written = folder.resolve(FILE + ".new");
    Files.writeString(written, text.toString());
    Files.move(written, folder.resolve(FILE), StandardCopyOption.REPLACE_EXISTING);
  }

  /** The shapes of the findings on this DBMS in a folder. */
  static Set<CaseShape> shapes(Path folder, Dbms dbms, Dialect dialect) throws IOException {
    Set<CaseShape> shapes = new HashSet<>();
    for (Path place : FindingIndex.allCases(folder)) {
      try {
        TestCase found = CaseReader.read(place);
        if (found.header("dbms").filter(dbms.describe()::equals).isPresent()) {
          shapes.add(CaseShape.of(found, dialect));
        }
      } catch (CaseFormatException e) {
        // The index names it.
      }
    }
    return shapes;
  }
}
