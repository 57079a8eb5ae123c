package io.txwatch.capture;

import io.txwatch.capture.ApplicationClasses.Rank;
import io.txwatch.history.CallSite;
import java.lang.StackWalker.StackFrame;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the line of the application that executed a statement: the nearest frame whose class has
 * the highest rank on the stack ({@link ApplicationClasses}), and its caller: the nearest frame of
 * another class of that rank, if it is near. Where a helper executes what many methods ask for, the
 * caller distinguishes them.
 *
 * <p>Ranks of classes and names of places are cached, so the remaining cost is the stack walk. The
 * caches are attached to the classes themselves, so they keep no application's class loader alive.
 */
public final class CallSites {

  /**
   * The size of the first batch of frames, of which the walk uses two itself: it has room for three
   * of txwatch's frames, two of a pool and the application's. Each fetched frame costs time, and a
   * second batch doubles the cost.
   */
  private static final int FIRST_BATCH_FRAMES = 8;

  private static final StackWalker WALKER =
      StackWalker.getInstance(
          Set.of(StackWalker.Option.RETAIN_CLASS_REFERENCE), FIRST_BATCH_FRAMES);

  /** The maximum number of frames examined. */
  private static final int MAX_FRAMES = 256;

  /**
   * The maximum number of frames examined after the first candidate, in search of one with a higher
   * rank: callbacks of libraries, frameworks and proxies lie between them.
   */
  private static final int MAX_FRAMES_BEHIND_CANDIDATE = 64;

  /** The maximum number of frames from the place to its caller: those of a proxy of its class. */
  private static final int MAX_FRAMES_TO_CALLER = 16;

  /** The maximum number of callers of a place whose texts are cached. */
  private static final int MAX_CACHED_CALLERS = 256;

  /** By the value of the setting; few entries. */
  private static final Map<String, CallSites> BY_PACKAGES = new ConcurrentHashMap<>();

  /**
   * The places of each class from which statements were executed; few per class. An entry consists
   * of the method, its descriptor, the bytecode index, the display name, and the call sites by the
   * display names of callers. The descriptor is empty if the method is not overloaded, because
   * reading it from a frame costs as much as the rest.
   *
   * <p>Entries are arrays of JDK types: instances of txwatch's classes would keep its class loader
   * alive.
   */
  private static final ClassValue<CopyOnWriteArrayList<Object[]>> APPLICATION_PLACES =
      new ClassValue<>() {
        @Override
        protected CopyOnWriteArrayList<Object[]> computeValue(Class<?> type) {
          return new CopyOnWriteArrayList<>();
        }
      };

  private static Object[] place(StackFrame frame) {
    CopyOnWriteArrayList<Object[]> places = APPLICATION_PLACES.get(frame.getDeclaringClass());
    String method = frame.getMethodName();
    int index = frame.getByteCodeIndex();
    for (Object[] place : places) {
      if (index == (Integer) place[2]
          && method.equals(place[0])
          && (place[1].equals("") || place[1].equals(frame.getDescriptor()))) {
        return place;
      }
    }
    String descriptor =
        isOverloaded(frame.getDeclaringClass(), method) ? frame.getDescriptor() : "";
    String name = describe(frame);
    Object[] made = {method, descriptor, index, name, new ConcurrentHashMap<String, String>()};
    places.add(made);
    return made;
  }

  @SuppressWarnings("unchecked")
  private static String calledFrom(Object[] place, Object[] caller) {
    Map<String, String> known = (Map<String, String>) place[4];
    String by = (String) caller[3];
    String callSite = known.get(by);
    if (callSite == null) {
      callSite = CallSite.calledFrom((String) place[3], by);
      if (known.size() < MAX_CACHED_CALLERS) {
        known.put(by, callSite);
      }
    }
    return callSite;
  }

  private static boolean isOverloaded(Class<?> type, String method) {
    try {
      return Arrays.stream(type.getDeclaredMethods())
              .filter(declared -> declared.getName().equals(method))
              .count()
          != 1;
    } catch (LinkageError | RuntimeException e) {
      return true; // its signatures refer to missing classes
    }
  }

  /** Where the statement was executed that a thread executes again. */
  private static final ThreadLocal<@Nullable String> REPEATED = new ThreadLocal<>();

  private final ApplicationClasses classes;

  private CallSites(ApplicationClasses classes) {
    this.classes = classes;
  }

  /**
   * Returns the finder for configured packages.
   *
   * @param packages the configured packages, separated by commas; may be empty
   */
  public static CallSites of(String packages) {
    return BY_PACKAGES.computeIfAbsent(
        packages,
        text ->
            new CallSites(
                new ApplicationClasses(
                    Stream.of(text.split(","))
                        .map(String::strip)
                        .filter(p -> !p.isEmpty())
                        .toList())));
  }

  /**
   * What this thread executes from now on is a statement that an application has executed before.
   *
   * @param callSite where that was; null if it is no such statement any more
   */
  public static void repeat(@Nullable String callSite) {
    if (callSite == null || callSite.isEmpty()) {
      REPEATED.remove();
    } else {
      REPEATED.set(callSite);
    }
  }

  /**
   * Returns the method and the line of the caller, as {@link CallSite} defines them; empty if the
   * application is not on the stack.
   */
  public String current() {
    String repeated = REPEATED.get();
    if (repeated != null) {
      return repeated;
    }
    try {
      return WALKER.walk(this::firstOfApplication);
    } catch (RuntimeException | LinkageError e) {
      return ""; // a class that fails to load must not fail the statement
    }
  }

  private String firstOfApplication(Stream<StackFrame> frames) {
    Iterator<StackFrame> walk = frames.iterator();
    StackFrame best = null;
    StackFrame caller = null;
    Rank highest = Rank.NONE;
    for (int left = MAX_FRAMES; left > 0 && walk.hasNext(); left--) {
      StackFrame frame = walk.next();
      Rank rank = classes.rank(frame.getDeclaringClass());
      if (rank.compareTo(highest) > 0) {
        if (best == null || !isPartOf(best, frame, rank)) {
          best = frame;
          caller = null;
        } else if (caller == null && !isSameSource(best, frame)) {
          caller = frame;
        }
        highest = rank;
        if (rank == classes.highest()) {
          break;
        }
        left = Math.min(left, MAX_FRAMES_BEHIND_CANDIDATE);
      } else if (best != null && caller == null && rank == highest && !isSameSource(best, frame)) {
        caller = frame;
      }
    }
    if (best == null) {
      return "";
    }
    for (int left = MAX_FRAMES_TO_CALLER; caller == null && left > 0 && walk.hasNext(); left--) {
      StackFrame frame = walk.next();
      if (classes.rank(frame.getDeclaringClass()) == highest && !isSameSource(best, frame)) {
        caller = frame;
      }
    }
    Object[] place = place(best);
    return caller == null ? (String) place[3] : calledFrom(place, place(caller));
  }

  /** True if one of the classes is nested in the other, or both are in a third one. */
  private static boolean isSameSource(StackFrame one, StackFrame other) {
    String name = one.getDeclaringClass().getName();
    String second = other.getDeclaringClass().getName();
    int end = name.indexOf('$');
    int length = end < 0 ? name.length() : end;
    return second.startsWith(name.substring(0, length))
        && (second.length() == length || second.charAt(length) == '$');
  }

  /** True if the nearer frame has the same owner: a part of the application in a separate jar. */
  private boolean isPartOf(StackFrame nearer, StackFrame surer, Rank rank) {
    return rank == Rank.APPLICATION
        && classes
            .owner(nearer.getDeclaringClass())
            .equals(classes.owner(surer.getDeclaringClass()));
  }

  private static String describe(StackFrame frame) {
    String file = frame.getFileName();
    if (file == null) {
      String type = frame.getClassName();
      file = type.substring(type.lastIndexOf('.') + 1);
    }
    String place = frame.getLineNumber() > 0 ? file + ":" + frame.getLineNumber() : file;
    return CallSite.of(frame.getClassName(), frame.getMethodName(), place);
  }
}
