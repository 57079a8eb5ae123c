package io.txwatch.catalog;

import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A JDBC URL for histories, reports and messages: without parameters, users and passwords.
 *
 * <p>A password may contain the characters that otherwise end it. Where what stands before the path
 * cannot be a host and a port, everything up to the last {@code @} counts as credentials.
 */
public final class ShownUrl {

  private static final Pattern PARAMETERS = Pattern.compile("[?;].*", Pattern.DOTALL);

  /** Parameters behind a colon, as DB2 and Informix have them. */
  private static final Pattern COLON_PARAMETERS = Pattern.compile(":\\w+=.*", Pattern.DOTALL);

  private static final Pattern HOST = Pattern.compile("(\\[[^]]*]|[^:\\[\\]()]*)(:[0-9]*)?");

  /** In {@code address=(host=…)(password=…)}, and {@code (host=…,password=…)}. */
  private static final Pattern NAMED_CREDENTIALS =
      Pattern.compile("(?i)[(,]\\s*\\w*(?:user|pass|pwd|secret)\\w*\\s*=[^,()]*");

  /** URLs that name a file, in which any character may be. */
  private static final Pattern FILE =
      Pattern.compile("(?i)jdbc:(?:h2:(?!tcp:|ssl:)|sqlite:|hsqldb:file:|derby:|duckdb:).*");

  private static final Pattern BEFORE_NAME =
      Pattern.compile("^(jdbc:[\\w-]+:(?:\\w+:)?).*@", Pattern.DOTALL);

  private ShownUrl() {}

  public static String of(String url) {
    String bare = PARAMETERS.matcher(url).replaceFirst("");
    int slashes = url.indexOf("//");
    if (FILE.matcher(bare).matches()) {
      return bare;
    } else if (slashes < 0) {
      return BEFORE_NAME.matcher(bare).replaceFirst("$1");
    }
    String rest = url.substring(slashes + 2);
    int last = rest.lastIndexOf('@');
    if (last >= 0 && !areHosts(authority(rest))) {
      rest = rest.substring(last + 1);
    }
    String authority = authority(rest);
    String path = PARAMETERS.matcher(rest.substring(authority.length())).replaceFirst("");
    return url.substring(0, slashes + 2)
        + hosts(authority)
        + COLON_PARAMETERS.matcher(path).replaceFirst("");
  }

  /** What stands before the path and the parameters. */
  private static String authority(String rest) {
    return rest.split("[/?;]", 2)[0];
  }

  private static boolean areHosts(String authority) {
    return isOfPairs(authority)
        || Arrays.stream(authority.split(",")).allMatch(part -> HOST.matcher(host(part)).matches());
  }

  private static boolean isOfPairs(String authority) {
    return authority.indexOf('(') >= 0 && authority.indexOf('=') >= 0;
  }

  private static String hosts(String authority) {
    if (isOfPairs(authority)) {
      String open = authority.replaceAll("^[^(@]*@", "");
      return NAMED_CREDENTIALS.matcher(open).replaceAll("");
    }
    return Arrays.stream(authority.split(",", -1))
        .map(part -> HOST.matcher(host(part)).matches() ? host(part) : "…")
        .collect(Collectors.joining(","));
  }

  private static String host(String part) {
    return part.substring(part.lastIndexOf('@') + 1);
  }
}
