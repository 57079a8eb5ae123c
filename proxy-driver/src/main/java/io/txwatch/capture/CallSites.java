package io.txwatch.capture;

import io.txwatch.capture.ApplicationClasses.Rank;
import java.lang.StackWalker.StackFrame;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/**
 * Where in the application a statement was executed: the nearest frame of a class that is the
 * application's as surely as any on the stack ({@link ApplicationClasses}).
 *
 * <p>Each class is judged once, each place is named once: what remains is the walk over the frames
 * in between. The caches hang on the classes themselves, so nothing keeps an application's class
 * loader alive.
 */
public final class CallSites {

  /**
   * The size of the first lot of frames, of which the walk keeps two for itself: there is room for
   * three of our own, a pool's two and the application's. It costs by the frame, needed or not, and
   * twice if the first lot does not do.
   */
  private static final int FIRST_FRAMES = 8;

  private static final StackWalker WALKER =
      StackWalker.getInstance(Set.of(StackWalker.Option.RETAIN_CLASS_REFERENCE), FIRST_FRAMES);

  /** Frames looked at, at most. Behind that many the application is not found. */
  private static final int DEPTH = 256;

  /**
   * Frames that are looked at behind the first one that may be the application's, for one that is
   * so more surely: a library that calls back, a framework and its proxies lie between.
   */
  private static final int MAX_FRAMES_BEHIND_CANDIDATE = 64;

  /** By the text of the setting: a few. */
  private static final Map<String, CallSites> BY_PACKAGES = new ConcurrentHashMap<>();

  /**
   * The places of each class from which statements were executed: a few. A row of them is the
   * method, its descriptor, the byte code index, and the name for people. The descriptor is empty
   * if no other method of the class has that name: to ask a frame for it costs as much as the rest.
   *
   * <p>No class of ours may hang on a class that is not: it would keep our class loader alive.
   */
  private static final ClassValue<CopyOnWriteArrayList<Object[]>> APPLICATION_PLACES =
      new ClassValue<>() {
        @Override
        protected CopyOnWriteArrayList<Object[]> computeValue(Class<?> type) {
          return new CopyOnWriteArrayList<>();
        }
      };

  private static String placeName(StackFrame frame) {
    CopyOnWriteArrayList<Object[]> places = APPLICATION_PLACES.get(frame.getDeclaringClass());
    String method = frame.getMethodName();
    int index = frame.getByteCodeIndex();
    for (Object[] place : places) {
      if (index == (Integer) place[2]
          && method.equals(place[0])
          && (place[1].equals("") || place[1].equals(frame.getDescriptor()))) {
        return (String) place[3];
      }
    }
    String descriptor =
        isOverloaded(frame.getDeclaringClass(), method) ? frame.getDescriptor() : "";
    String name = describe(frame);
    places.add(new Object[] {method, descriptor, index, name});
    return name;
  }

  private static boolean isOverloaded(Class<?> type, String method) {
    try {
      return Arrays.stream(type.getDeclaredMethods())
              .filter(declared -> declared.getName().equals(method))
              .count()
          != 1;
    } catch (LinkageError | RuntimeException e) {
      return true; // it names classes that are not there
    }
  }

  private final ApplicationClasses classes;

  private CallSites(ApplicationClasses classes) {
    this.classes = classes;
  }

  /**
   * Finds frames of the application.
   *
   * @param packages the packages that the user names, separated by commas; empty for none
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

  /** {@code File.java:line} of the caller; empty if the application is not on the stack. */
  public String current() {
    try {
      return WALKER.walk(this::firstOfApplication);
    } catch (RuntimeException | LinkageError e) {
      return ""; // a class of the application that cannot be asked is no reason to fail
    }
  }

  private String firstOfApplication(Stream<StackFrame> frames) {
    Iterator<StackFrame> walk = frames.iterator();
    StackFrame best = null;
    Rank highest = Rank.NONE;
    for (int left = DEPTH; left > 0 && walk.hasNext(); left--) {
      StackFrame frame = walk.next();
      Rank rank = classes.rank(frame.getDeclaringClass());
      if (rank.compareTo(highest) > 0) {
        best = best == null || !isPartOf(best, frame, rank) ? frame : best;
        highest = rank;
        if (rank == classes.highest()) {
          break;
        }
        left = Math.min(left, MAX_FRAMES_BEHIND_CANDIDATE);
      }
    }
    return best == null ? "" : placeName(best);
  }

  /** True if the nearer one is of the same maker: a part of the application in a jar beside it. */
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
    return frame.getLineNumber() > 0 ? file + ":" + frame.getLineNumber() : file;
  }
}
