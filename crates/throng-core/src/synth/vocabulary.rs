//! The words of the made-up world: hand-written for throng, copied from no log and naming no person or company.
//!
//! A topic's words are dictionary words, most of them nouns of WordNet, the most popular first. Phrases and patterns
//! are queries between commas, with slots: `*` a word of the topic, `~` an adjective, `^` a general noun, `@` a place,
//! `&` a family name, `!` a verb, `+` a make, `#` a number, `%` a model. The generator splits the strings once.

/// What people who share an interest search for.
pub(super) struct TopicWords {
    /// The topic's name, which is also its most popular word.
    pub(super) name: &'static str,
    /// Its other words, the most popular first.
    pub(super) words: &'static str,
    /// Its own phrases, the most popular first; those without a slot are asked by many persons.
    pub(super) phrases: &'static str,
}

/// All topics, the most popular first.
pub(super) const TOPICS: &[TopicWords] = &[
    TopicWords {
        name: "music",
        words: "lyrics song album band radio concert singer video country rock piano ringtone jazz ticket dance \
            chorus guitar drum melody festival choir trumpet violin sheet disc tune rhythm blues opera verse \
            karaoke orchestra soundtrack microphone speaker record hymn ballad composer banjo harmonica flute \
            saxophone cello organ reggae gospel tempo stage headphone playlist duet fiddle anthem waltz accordion \
            lullaby recital conductor encore",
        phrases: "song lyrics, free music, top songs of #, lyrics to * *, * sheet music, country music festival, \
            * concert tickets @, music videos, love song lyrics about *, wedding * songs, & band tour, \
            used * for sale, piano lessons in @, how to play *",
    },
    TopicWords {
        name: "travel",
        words: "hotel flight vacation beach map airport cruise resort island ticket airline passport lodge tour \
            motel cabin trip luggage suite museum park train reservation guide border ferry honeymoon tourist \
            destination canyon harbor embassy visa suitcase landmark rental spa waterfall volcano castle palace \
            tropics coast lighthouse casino hostel itinerary safari souvenir currency campground aquarium zoo \
            highway bus voyage retreat villa",
        phrases: "cheap flights, cheap airline tickets to @, hotels in @, @ hotels, vacation rentals @, \
            last minute vacation deals, driving directions to @, bed and breakfast @, things to do in @, \
            beach house rentals, @ campground, * vacation packages, how to get a passport, @ airport parking",
    },
    TopicWords {
        name: "cars",
        words: "car truck engine tire van dealer sedan transmission wheel brake convertible battery bumper \
            dealership coupe auto mileage pickup hybrid muffler radiator stereo exhaust windshield title warranty \
            diesel clutch headlight mechanic hood seat gasket chassis axle alternator trailer mirror fender hubcap \
            carburetor ignition filter steering garage gasoline sunroof odometer wagon license piston spark plug \
            oil paint speedometer horn dashboard",
        phrases: "used cars, used cars for sale in @, # * parts, car dealers @, % truck parts, % engine manual, \
            value of my car, gas prices, how to change * *, # sedan reviews, auto body shop @, * repair manual #, \
            cheap tires, salvage yards in @",
    },
    TopicWords {
        name: "jobs",
        words: "job career resume employment salary interview employer nurse office manager clerk work internship \
            agency driver secretary wage recruiter union layoff pension accountant application vacancy profession \
            labor receptionist warehouse factory overtime bookkeeper contractor apprentice electrician plumber \
            waitress cashier engineer promotion retirement training certificate supervisor staff typist janitor \
            security shift benefit reference unemployment carpenter librarian pharmacist paralegal welder \
            technician cook mentor temp",
        phrases: "jobs in @, @ jobs, work at home, resume examples, how to write a cover letter, nursing jobs @, \
            part time * jobs, average salary of *, job interview questions, unemployment office @, * jobs in @, \
            summer jobs for teens, employment agency @, * training certificate",
    },
    TopicWords {
        name: "recipes",
        words: "recipe chicken cake soup salad sauce bread beef potato cheese rice pasta pork shrimp dinner \
            casserole chocolate salmon turkey cookie garlic bean pie butter cream lemon egg steak dip mushroom \
            onion tomato sandwich meatloaf oven grill spice dressing stew barbecue vegetable ham lasagna apple \
            broccoli cinnamon marinade crab breakfast gravy pepper spinach chili cabbage pancake dumpling vinegar \
            basil lobster waffle",
        phrases: "chicken recipes, easy dinner recipes, how to cook a *, * and * casserole, slow cooker * recipes, \
            banana bread recipe, potato salad recipe, * * recipe, homemade * sauce, low fat * recipe, \
            how long to grill *, best * recipe, recipe for * with *, church supper recipes",
    },
    TopicWords {
        name: "movies",
        words: "movie film theater actor trailer comedy review actress horror drama cinema director ticket cast \
            hero award script poster premiere sequel studio animation cartoon western plot villain thriller vampire \
            monster ghost pirate zombie wizard superhero soundtrack documentary projector critic popcorn scene \
            screenplay musical camera stunt costume robot dinosaur dragon princess alien spy detective outlaw \
            gladiator romance fantasy",
        phrases: "movie times, movie theaters in @, new movies, movie reviews, @ movie times, * movie trailer, \
            movies about *, scary * movies, list of * movies, free movie downloads, drive in theater @, * poster, \
            best movies of #, movie with * and *",
    },
    TopicWords {
        name: "games",
        words: "game puzzle card poker chess cheat solitaire crossword player arcade bingo board console level dice \
            code racing sword quest castle dragon wizard checkers domino backgammon controller maze trivia jackpot \
            sudoku tournament strategy warrior pinball joystick hint trophy dungeon armor marble slot jigsaw \
            monster knight word riddle champion score cheater robot adventure hangman spaceship wrestling \
            skateboard tank",
        phrases: "free games, free online games, cheat codes, * game cheats, free * games, card games, \
            how to beat level # of *, % console, rules of *, games for kids, free crossword puzzles, * and * game, \
            printable * puzzles, play * online",
    },
    TopicWords {
        name: "real estate",
        words: "house home apartment condo mortgage rent realtor property land acre lease listing foreclosure lot \
            landlord tenant townhouse broker duplex cabin appraisal loan farm deed cottage estate basement bedroom \
            buyer seller closing suburb mansion zoning studio acreage neighborhood porch garage ranch escrow \
            inspection bungalow loft eviction title lakefront timeshare builder subdivision auction equity interest \
            deposit commission",
        phrases: "homes for sale, homes for sale in @, @ real estate, apartments for rent in @, houses for rent @, \
            @ homes, mobile homes for sale, # acre * for sale, mortgage calculator, @ property records, \
            log home plans, & realty, how to sell a *, first time home buyer",
    },
    TopicWords {
        name: "health",
        words: "doctor symptom pain hospital treatment disease medicine infection virus fever surgery kidney blood \
            clinic vitamin liver allergy thyroid asthma knee arthritis cough headache migraine stomach rash drug \
            nurse nerve cholesterol ulcer throat sinus lung muscle pneumonia antibiotic shoulder hernia gout \
            bladder anemia dizziness spine pharmacy vaccine tonsil tumor bacteria ankle swelling gland vertigo \
            insomnia heartburn numbness cyst",
        phrases: "symptoms of *, causes of * pain, * infection symptoms, side effects of *, @ hospital, doctors in @, \
            * surgery recovery, natural cure for *, high blood pressure, what causes *, * pain and *, dr &, \
            * clinic @, home remedies for *",
    },
    TopicWords {
        name: "school",
        words: "teacher student lesson worksheet math science history grade essay book library spelling reading \
            homework geography kindergarten fraction grammar project dictionary algebra classroom poem test \
            geometry volcano planet education district principal chemistry biology map calendar vocabulary \
            multiplication story textbook noun verb atom cell fossil quiz report experiment globe desk chalk ruler \
            pencil cafeteria recess tutor playground",
        phrases: "@ school district, @ high school, lesson plans, math worksheets, free * worksheets, \
            science fair projects, book report on *, facts about *, * lesson plan for grade #, \
            spelling words for grade #, @ middle school, essay about * and *, teacher gifts, parts of a *",
    },
    TopicWords {
        name: "college",
        words: "university scholarship degree student tuition campus nursing loan admission course dormitory \
            professor law medicine engineering grant transcript diploma graduate semester essay textbook thesis \
            psychology exam major library economics sociology fraternity sorority dean freshman philosophy alumni \
            bachelor master doctorate enrollment lecture accounting anthropology biology seminar fellowship academy \
            undergraduate mascot laboratory",
        phrases: "community college @, @ university, @ college, online degree programs, scholarships for *, \
            student loans, financial aid, college football scores, * degree online, law school rankings, \
            graduate school in *, student loan consolidation, @ university bookstore, college essay examples",
    },
    TopicWords {
        name: "computer",
        words: "printer laptop software keyboard monitor virus file disk modem download screen desktop network \
            router memory password driver mouse scanner program email wireless browser cable server adapter battery \
            website spam backup cartridge port chip toner microphone folder icon font camera spreadsheet database \
            hacker processor firewall hardware error spyware blog forum upgrade motherboard pixel wallpaper clipart \
            webcam code",
        phrases: "free downloads, free clip art, free screensavers, % printer driver, % laptop battery, \
            how to remove *, wireless router setup, * software download, free * software, computer repair @, \
            % ink cartridge, cheap laptops, my * is slow, error # *",
    },
    TopicWords {
        name: "baby",
        words: "pregnancy infant newborn birth crib stroller shower diaper midwife ultrasound nursery mother \
            toddler name twin labor formula bottle ovulation trimester miscarriage pacifier fetus womb blanket bib \
            cradle morning sickness contraction placenta pediatrician breastfeeding delivery maternity doula colic \
            teething lullaby rattle adoption fertility pajamas daycare nanny godmother christening highchair \
            layette embryo cesarean cord due",
        phrases: "baby names, baby names meaning *, signs of pregnancy, baby shower games, pregnancy week #, \
            baby shower invitations, due date calculator, unusual boy names, early signs of *, \
            # weeks pregnant with *, can i eat * while pregnant, maternity clothes, baby * bedding, & baby registry",
    },
    TopicWords {
        name: "dogs",
        words: "dog puppy breeder kennel terrier collar poodle leash retriever shepherd spaniel hound collie beagle \
            rescue veterinarian flea dachshund mastiff bulldog boxer shelter crate obedience rottweiler husky \
            chihuahua dalmatian schnauzer greyhound tick bark harness groomer whelp litter rabies heartworm mutt \
            pug corgi setter pedigree muzzle paw whippet biscuit worm pointer sheepdog basset sitter training spay \
            bone doghouse",
        phrases: "puppies for sale, * puppies for sale in @, dog breeds, dog breeders in @, how to train a *, \
            animal shelter @, my dog ate *, * rescue @, dog names, dog food recall, veterinarian @, * mix pictures, \
            why do dogs *, how to get rid of fleas",
    },
    TopicWords {
        name: "gardening",
        words: "garden flower rose plant seed tree tomato lawn bulb shrub soil mulch fertilizer tulip weed nursery \
            orchid compost fern ivy lily grass hedge pruning trellis hydrangea daisy azalea herb greenhouse \
            sunflower pond lavender perennial annual peony magnolia maple bamboo petunia gardenia hibiscus hosta \
            vine harvest shovel rake pot squash cucumber sprinkler slug aphid wheelbarrow bonsai marigold geranium \
            camellia pumpkin begonia",
        phrases: "how to grow *, when to plant *, how to prune *, * garden center @, shade plants, flower delivery @, \
            how to kill * in lawn, growing * in containers, rose garden pictures, * seeds for sale, landscaping ideas, \
            diseases of *, raised bed *, plants for * soil",
    },
    TopicWords {
        name: "church",
        words: "bible prayer sermon scripture baptism gospel psalm choir pastor angel faith christian prophet \
            bishop saint worship cross hymn catholic baptist methodist lutheran communion missionary priest heaven \
            sin creed parish ministry testament crucifixion easter lent rosary apostle verse youth cathedral \
            monastery nun revival blessing parable grace steeple pulpit synagogue rabbi mosque buddhism temple \
            devotion pilgrim chapel congregation",
        phrases: "@ church, baptist church in @, bible verses about *, catholic church @, prayer for *, \
            sunday school lessons, sermon on *, free bible study, vacation bible school, \
            what does the bible say about *, prayers for the *, youth group games, history of the * church, pastor &",
    },
    TopicWords {
        name: "shopping",
        words: "store coupon catalog dress shoe purse sale jacket jeans outlet mall discount shirt boot sandal coat \
            handbag perfume gift wallet sweater skirt swimsuit clothing lingerie sneaker hat belt scarf glove \
            pajamas sock uniform vest blouse bargain tuxedo corset leather silk cotton denim wool fur sunglasses \
            watch backpack umbrella robe slipper tie bikini hoodie cap costume bra stocking apron poncho heel \
            moccasin wig gown fabric",
        phrases: "coupon codes, free coupons, plus size *, prom dresses, outlet mall @, mens * *, womens * size #, \
            cheap *, * store in @, * handbags, where to buy *, discount * *, wholesale *, kids * sale",
    },
    TopicWords {
        name: "home improvement",
        words: "kitchen bathroom furniture floor cabinet tile paint roof carpet door sink sofa window plumbing deck \
            fence faucet shower toilet lamp curtain countertop couch mattress rug fireplace wallpaper bed chair \
            table stair patio ceiling drywall insulation dresser lumber shed hardwood driveway gutter granite \
            concrete hinge plywood toolbox drill furnace thermostat chimney blind pool tub pantry bookcase stool \
            heater dishwasher brick",
        phrases: "how to install *, cost of a new *, kitchen cabinets, how to build a *, bathroom * ideas, \
            % dishwasher, * contractors in @, patio furniture, how to clean *, discount * @, bunk beds, \
            used * for sale, * repair @, how to fix a leaking *",
    },
    TopicWords {
        name: "football",
        words: "team coach score draft player season quarterback league basketball stadium playoff schedule ticket \
            soccer jersey helmet hockey tackle touchdown wrestling referee roster fan tournament bowl cheerleader \
            trophy goal injury statistics boxing championship racing halftime defense offense kicker lineman tennis \
            volleyball swimming track gymnast rugby skating bracket captain mascot sprint marathon punt fumble \
            whistle skate puck net",
        phrases: "football scores, football schedule #, @ high school football, basketball tournament bracket, \
            cheap * tickets, * coach salary, youth soccer league @, wrestling results, & football, * draft rumors, \
            cheerleading uniforms, fantasy football, & * injury, used * equipment",
    },
    TopicWords {
        name: "baseball",
        words: "pitcher bat glove card softball league team score catcher ticket inning umpire stadium homer field \
            player schedule mitt outfielder season shortstop dugout helmet roster pitching batting cap jersey \
            strikeout diamond rookie coach infield scoreboard bullpen standings bunt trophy slugger curveball \
            series pennant fastball base autograph mound steal cleat hitter double manager trade farm bleacher \
            doubleheader walk error mascot spring",
        phrases: "baseball scores, baseball cards, little league @, softball bats, # baseball card value, \
            baseball * drills, how to throw a *, & baseball card, youth * equipment, spring training tickets, \
            @ baseball field, who has the most *, baseball schedule, % bat",
    },
    TopicWords {
        name: "genealogy",
        words: "family ancestor birth record census cemetery surname obituary marriage immigration death tree grave \
            archive county descendant slave ship heritage veteran grandfather cousin pioneer parish tombstone will \
            militia clan founder genealogist settler colony baptism coat crest pedigree orphan widow homestead \
            courthouse grandmother estate lineage deed reunion emigrant farmer portrait migration tribe passenger \
            newspaper soldier index",
        phrases: "& family tree, & genealogy, & family history, & obituary @, @ cemetery records, free genealogy, \
            @ obituaries, & coat of arms, marriage records @, @ county birth records, & descendants of @, \
            find people free, & # census, origin of the name &",
    },
    TopicWords {
        name: "diet",
        words: "weight calorie exercise fat carbohydrate protein vitamin pill fiber menu metabolism nutrition soy \
            snack pound supplement yogurt obesity fasting vegetarian detox juice tea sugar salad smoothie \
            grapefruit pedometer muscle cellulite meal cholesterol waist oatmeal scale treadmill appetite hunger \
            herb almond sodium gluten lunch serving gastric bypass thigh belly grain flax vegan potassium calcium \
            shake portion craving plateau enzyme",
        phrases: "how to lose weight, how to lose # pounds, low carb diet, calories in *, diet pills, weight loss *, \
            how many calories in a *, free diet plans, foods high in *, * diet menu, gastric bypass surgery @, \
            lose belly fat, does * burn fat, * diet and *",
    },
    TopicWords {
        name: "hair",
        words: "hairstyle haircut salon color braid shampoo wig curl bang highlight beauty makeup nail perm bob \
            conditioner blonde brunette layer updo dye eyebrow lipstick skin extension mascara manicure bun \
            pedicure wax tattoo dandruff brush dryer lotion bride barber scalp gel acne eyelash cosmetics ponytail \
            wrinkle foundation mousse clipper stylist pixie fringe moisturizer henna comb piercing tan cream oil \
            spray razor",
        phrases: "short hairstyles, prom hairstyles, hair color ideas, hairstyles for * women, how to cut *, \
            * salon @, pictures of * hairstyles, how to braid *, hair loss in women, medium length *, tattoo designs, \
            * tattoo pictures, wedding * updo, curly * styles",
    },
    TopicWords {
        name: "wedding",
        words: "bride dress cake invitation ring bouquet reception bridesmaid groom gown favor veil vow honeymoon \
            toast flower photographer centerpiece tuxedo shower engagement gift ceremony anniversary registry \
            candle minister chapel tiara garter program caterer limousine banquet ribbon guest diamond planner lace \
            rehearsal proposal band marriage altar aisle pearl license champagne ballroom couple orchid usher train \
            pavilion waltz sash budget",
        phrases: "wedding dresses, wedding cakes, wedding songs, wedding * ideas, wedding vows, \
            wedding photographer @, bridal shop @, * bridesmaid dresses, & wedding @, cheap wedding *, \
            beach wedding *, how to plan a *, wedding toast examples, reception hall in @",
    },
    TopicWords {
        name: "taxes",
        words: "tax refund form income deduction return audit property sale credit accountant estate deadline \
            dependent exemption withholding payroll revenue wage bracket penalty treasury business donation receipt \
            inheritance charity mileage depreciation expense budget rebate interest dividend extension assessor \
            corporation partnership trust gain capital bookkeeping license mortgage pension schedule county lien \
            loss filing alimony gift levy",
        phrases: "tax forms, where is my refund, income tax return, free tax filing, @ property tax, * tax form #, \
            sales tax rate in @, state tax refund, is * tax deductible, @ tax assessor, how to file *, \
            tax brackets for #, tax * for small business, form #",
    },
    TopicWords {
        name: "debt",
        words: "credit loan bankruptcy bank card payday mortgage payment collection foreclosure interest creditor \
            refinance score budget consolidation cash check lender repossession lawyer bill settlement garnishment \
            equity savings lawsuit counselor late fee fraud collateral account cosigner attorney default overdraft \
            deposit balance repayment chapter lien trustee judgment charge rent eviction utility poverty welfare \
            pawn wage finance limit",
        phrases: "credit report, free credit report, bad credit loans, payday loans @, how to get out of debt, \
            bankruptcy lawyer @, credit cards for bad credit, stop wage garnishment, can a * sue me for *, \
            debt consolidation, how long does * stay on credit report, * after bankruptcy, chapter # bankruptcy, \
            bank in @",
    },
    TopicWords {
        name: "divorce",
        words: "custody lawyer support alimony child attorney separation court marriage affair visitation husband \
            wife annulment settlement paternity mediation property parent father stepmother judge adultery spouse \
            petition family counselor decree guardian adoption infidelity abuse hearing prenuptial remarriage \
            mother hatred lie estate pension shelter trust loneliness stepfather grandparent jealousy lover \
            restraint order anger vow secret",
        phrases: "child support, divorce lawyer @, divorce papers, signs of a cheating husband, @ divorce records, \
            child custody laws in @, how to file for divorce in @, my * is cheating, free divorce forms, \
            fathers rights @, child support calculator, how to survive *, attorney & @, dating after *",
    },
    TopicWords {
        name: "depression",
        words: "anxiety suicide therapy stress disorder medication panic therapist sadness grief psychiatrist \
            insomnia bipolar counselor sleep mood loneliness phobia self trauma autism hospital anger fatigue \
            support schizophrenia mind dementia withdrawal hope guilt lithium psychologist obsession attack fear \
            burnout crisis serotonin nightmare isolation addiction memory paranoia hypnosis abuse diagnosis dream \
            shame worry breakdown mania tear relapse",
        phrases: "signs of depression, how to deal with *, panic attacks at night, side effects of * medication, \
            why am i so *, suicide hotline, therapist in @, support groups for *, postpartum depression, \
            * disorder symptoms, social anxiety, i feel * and *, how to help someone with *, teen * and *",
    },
    TopicWords {
        name: "cancer",
        words: "breast tumor chemotherapy lung prostate symptom radiation leukemia colon treatment survivor \
            melanoma lump hospice biopsy surgery lymphoma ovary cell mammogram stage skin kidney pancreas liver \
            brain oncologist trial remission cervix thyroid marrow bone wig nausea screening uterus pain transplant \
            bladder support polyp tissue diagnosis node scan esophagus stomach throat gene mole metastasis \
            prognosis ribbon donation virus hysterectomy",
        phrases: "breast cancer, stage # * cancer, symptoms of * cancer, * cancer treatment, * cancer survival rate, \
            cancer center @, lump in *, side effects of chemotherapy, breast cancer walk #, what is *, * tumor in *, \
            pink ribbon *, hospice care @, & cancer fund",
    },
    TopicWords {
        name: "diabetes",
        words: "insulin sugar glucose blood diet meter symptom kidney pump foot test neuropathy hypertension \
            syringe stroke pancreas heart strip eye cholesterol dialysis sweetener recipe nerve artery exercise \
            obesity aspirin ulcer hypoglycemia carbohydrate retina cookbook injection clot amputation \
            endocrinologist shoe monitor coma thirst pill fruit pressure vision bypass cataract glaucoma statin \
            snack angina sodium pacemaker pulse valve fasting",
        phrases: "signs of diabetes, normal blood sugar level, diabetic recipes, type # diabetes, diabetic * shoes, \
            diabetic diet, low sugar * recipe, % glucose meter, * and diabetes, how to lower *, diabetes and * pain, \
            heart attack symptoms, high *, foods for *",
    },
    TopicWords {
        name: "addiction",
        words: "alcohol rehab drug cocaine smoking cigarette heroin withdrawal detox tobacco marijuana sobriety \
            methadone pill relapse meth overdose recovery nicotine meeting clinic gambling sponsor test painkiller \
            beer urine jail intervention vodka whiskey alcoholic patch probation gum opium needle hangover morphine \
            program step hepatitis alcoholism craving treatment coffee hallucination drunk hypnosis shelter \
            mushroom abuse liver dealer court",
        phrases: "how to quit smoking, drug rehab @, how long does * stay in your system, how to pass a * test, \
            signs of * abuse, * withdrawal symptoms, alcohol treatment center @, effects of *, * overdose, \
            living with an alcoholic, street names for *, * meetings in @, drunk driving laws @, pictures of *",
    },
    TopicWords {
        name: "dating",
        words: "love single girl boyfriend relationship kiss romance personals chat marriage woman man crush date \
            poem flirt girlfriend match heart letter valentine soulmate breakup rose friend passion attraction \
            horoscope affair bachelor personality jealousy flower massage candle secret profile photo gift lover \
            desire hug dinner rejection fantasy bikini model magazine party bar club wife shyness divorce widow \
            body compatibility cupid proposal stranger",
        phrases: "online dating, free dating sites, love poems, singles in @, @ personals, how to get a *, \
            love quotes, does he love me quiz, free * chat rooms, how to kiss, romantic * ideas, how to get my * back, \
            christian singles, adult * pictures",
    },
    TopicWords {
        name: "sexual health",
        words: "herpes contraceptive pregnancy condom infection clinic test symptom discharge menopause hormone \
            virus puberty chlamydia abortion vasectomy infertility itching pill yeast cramp hysterectomy prostate \
            impotence wart period gynecologist syphilis estrogen gonorrhea sperm ovary sterility testosterone \
            menstruation libido bleeding swab urologist uterus cervix blister fibroid odor bump endometriosis \
            partner intercourse semen masturbation ovulation",
        phrases: "birth control, symptoms of *, * symptoms in men, std clinic @, morning after pill, missed period *, \
            is * contagious, free * clinic in @, pictures of * symptoms, how to cure *, * after sex, \
            late period and *, menopause symptoms, abortion clinic @",
    },
    TopicWords {
        name: "law",
        words: "lawyer court attorney prison arrest warrant jail inmate crime judge police lawsuit sheriff statute \
            murder bail evidence criminal trial felony license parole jury theft assault crash verdict death \
            sentence witness fraud injury will probate patent copyright robbery trust victim offender detective \
            constitution divorce shooting fingerprint notary misdemeanor immigration testimony appeal permit fine \
            contract kidnapping settlement",
        phrases: "@ county jail inmates, sex offenders in @, @ police department, inmate search, & murder trial, \
            personal injury lawyer @, @ court records, & arrested @, @ county sheriff, how to write a *, \
            gun laws in @, free legal * forms, statute of limitations on *, background check",
    },
    TopicWords {
        name: "insurance",
        words: "car health life policy claim quote premium dental accident coverage liability flood agent medicare \
            hospital adjuster deductible disability benefit homeowner fire boat annuity injury renter beneficiary \
            pension medicaid rate lawyer driver theft retirement hurricane damage umbrella settlement estimate risk \
            veteran travel hail roof broker nursing death burial tornado prescription windshield plan vision \
            employer widow fraud earthquake",
        phrases: "car insurance, cheap car insurance @, health insurance quotes, dental insurance, \
            life insurance for *, * insurance rates in @, social security office @, & insurance agency @, \
            medicare part #, homeowners insurance, does insurance cover *, * insurance claim, \
            small business health insurance, average cost of * insurance",
    },
    TopicWords {
        name: "fishing",
        words: "fish bass boat lake rod reel bait trout lure river charter tackle catfish pier salmon license tide \
            crappie walleye worm hook fly kayak dock marina pike perch tuna shrimp snapper marlin canoe dam creek \
            stream ice sinker bobber waders minnow net shark bluegill sonar guide reef flounder outboard trolling \
            ocean tournament reservoir knot crab motor line sturgeon anchor oyster carp fillet pond lodge camp \
            boathouse buoy",
        phrases: "bass fishing, fishing report @, bass boats for sale, how to catch *, * fishing in @, @ lake fishing, \
            tide chart @, fishing license @, used * motors, % outboard motor, best bait for *, fly fishing *, \
            lake cabin rentals @, state record *",
    },
    TopicWords {
        name: "hunting",
        words: "deer gun rifle turkey duck shotgun elk bow pistol ammunition camouflage license season dog knife \
            bear moose scope holster antelope decoy pheasant arrow goose buck target archery quail hog ranch antler \
            trap venison coyote blind crossbow revolver outfitter cartridge permit fox trophy wildlife bullet \
            beaver caliber stand squirrel tent rabbit taxidermy sight trail cougar lodge tracker boot grouse \
            lantern raccoon feeder dove",
        phrases: "deer hunting, hunting season @ #, % rifle, used * for sale, deer lease in @, % scope mount, \
            how to * a deer, hunting land for sale @, gun shows in @, turkey calls, * hunting videos, # gauge shotgun, \
            trophy * pictures, * stand plans",
    },
    TopicWords {
        name: "quilting",
        words: "quilt pattern fabric sewing knitting yarn crochet block needle thread embroidery craft applique \
            blanket afghan patchwork scissors bead stencil stitch loom cross ribbon scrapbook doll batting template \
            star border felt basket cotton scarf lace wool machine bobbin pillow button candle wreath pottery \
            weaving thimble clay rug stamp apron hoop ornament bonnet square guild pin sampler wood leather glue \
            kit paper purse",
        phrases: "free quilt patterns, quilt shop @, free crochet patterns, how to knit a *, * quilt pattern, \
            baby quilt *, sewing machine repair @, % sewing machine, * quilt blocks, free * patterns, craft show @ #, \
            christmas * crafts, how to make a *, quilt guild @",
    },
    TopicWords {
        name: "horses",
        words: "horse saddle pony stable mare barn stallion ranch bridle hay mule foal racing trailer rodeo rider \
            cowboy colt breeder quarter gelding hoof farrier halter donkey track stirrup cattle arabian appaloosa \
            mustang jockey pasture goat bit jumping derby sheep chicken farm tractor boot cow lasso auction rein \
            dressage palomino feed stall carriage calf bull fence blanket veterinarian polo rooster plow wagon pig \
            silo",
        phrases: "horses for sale, quarter horses for sale in @, * saddle for sale, horse names, & horse farm, \
            riding lessons @, rodeo schedule #, * trailer for sale, horse racing results, how to train a *, \
            * breeders in @, feed store @, horse * problems, miniature *",
    },
    TopicWords {
        name: "cats",
        words: "cat kitten litter bird parrot hamster rabbit snake aquarium turtle pet cage goldfish lizard ferret \
            canary breeder siamese food finch parakeet allergy claw cockatoo gecko guinea tabby frog tank vet \
            shelter fur hairball python box iguana mouse whisker tortoise macaw worm toy collar owl hummingbird \
            feeder eagle spider tarantula kidney tail purr catnip calico persian mite carrier urine scratch \
            terrarium chinchilla hedgehog",
        phrases: "kittens for sale, cat breeds, why does my cat *, * cage for sale, how to care for a *, pet store @, \
            cat health problems, * for adoption @, what do * eat, funny cat pictures, baby * care, \
            how to get rid of *, cat names, lost cat @",
    },
    TopicWords {
        name: "news",
        words: "weather newspaper war election president hurricane senate governor storm tornado mayor radar \
            congress earthquake flood lottery immigration vote senator crash terrorism oil crime economy fire bomb \
            army campaign debate strike protest border scandal forecast radio ballot blizzard democrat republican \
            pope pandemic plane satellite treaty poll market speech explosion headline journalist democracy island \
            volcano referendum drought refugee budget",
        phrases: "@ weather, weather forecast, @ newspaper, lottery results, @ news, winning lottery numbers, \
            weather radar @, who is the governor of *, current events, * in the news, @ election results, \
            hurricane season #, & for mayor, * war news",
    },
    TopicWords {
        name: "television",
        words: "show episode series channel cartoon soap drama comedy schedule actor host contest star winner cable \
            reality cast guide network satellite anchor antenna remote gossip sitcom wrestling theme detective \
            judge chef dancer model survivor doctor hospital island housewife quiz idol commercial rerun season \
            finale spoiler award interview celebrity villain commentator screen recorder plasma trivia clip puppet \
            vampire miniseries",
        phrases: "tv schedule, tv listings, * show cast, soap opera spoilers, % television, reality show *, \
            * season # episode list, plasma tv reviews, who won * contest, theme song from *, * dvd season #, \
            satellite tv @, free tickets to * show, old * shows",
    },
    TopicWords {
        name: "golf",
        words: "club course ball resort driver putter cart iron tournament green swing bag tee wedge league country \
            lesson membership shoe grip handicap glove caddie range shaft putting fairway bunker trophy scramble \
            tennis racket ski bowling snowboard pool cue court billiards lodge skate slope surfing yoga racquetball \
            instructor champion hole sand flag score umbrella birdie eagle pro shop wood clubhouse vacation",
        phrases: "golf courses in @, used golf clubs, @ golf course, % driver, golf cart parts, * lessons in @, \
            how to hit a *, golf tournament @, & golf outing, country club @, golf * for sale, mens golf *, \
            ski resort @, bowling alley @",
    },
    TopicWords {
        name: "motorcycles",
        words: "motorcycle helmet bike scooter part dirt engine chopper leather exhaust tire bicycle jacket trailer \
            dealer rally frame chrome moped saddlebag windshield carburetor glove brake sidecar piston boot license \
            seat boat minibike wheel handlebar clutch racing chain throttle trike yacht sailboat pontoon canoe \
            propeller snowmobile quad camper kickstand fender magneto spoke gasket outboard hitch generator muffler \
            sprocket horsepower winch",
        phrases: "motorcycles for sale, % parts, used * for sale in @, % dirt bike, bike week #, # % for sale, \
            motorcycle helmets, % service manual, * dealers @, custom * parts, motorcycle accident @, pocket bikes, \
            how to rebuild a *, campers for sale",
    },
    TopicWords {
        name: "military",
        words: "army navy veteran marine soldier uniform war base medal tank helicopter submarine sailor rifle \
            battle aircraft pilot ship memorial flag rank insignia sword reserve officer regiment battalion general \
            missile parachute recruiter badge knife deployment carrier helmet squadron cadet radar cannon sergeant \
            destroyer bomber captain weapon armor infantry cavalry museum benefit cemetery flight trench fort \
            surplus discharge prisoner barracks",
        phrases: "army surplus, veterans benefits, army pay chart #, @ army base, military discounts, \
            * of world war two, civil war battles, navy ship %, & killed in action, national guard @, % helicopter, \
            vietnam veterans *, army * requirements, pictures of * tanks",
    },
    TopicWords {
        name: "history",
        words: "war king map museum queen slavery pyramid civilization empire castle colony revolution pirate mummy \
            president constitution treaty knight artifact invention temple pharaoh plague inventor railroad emperor \
            gladiator explorer painting sculpture cathedral monument philosopher poet mythology goddess painter \
            archaeology century independence renaissance crusade settler tribe samurai viking feudalism dynasty \
            coin antique stamp aqueduct scroll fresco",
        phrases: "history of *, timeline of the *, ancient * facts, who invented the *, * of the middle ages, \
            old coins value, antique * value, pictures of ancient *, civil rights movement, black history month, \
            greek gods and goddesses, why did the * fall, famous * in history, museum of * @",
    },
    TopicWords {
        name: "business",
        words: "stock market company bank phone office investment franchise account fund address bond exchange \
            supplier broker wholesale logo export directory advertisement invoice retail warehouse share dividend \
            profit manufacturer card license trade contract corporation consultant gold portfolio freight customer \
            inventory postage brochure crude marketing auction vendor printing silver merchant patent partnership \
            audit distributor currency grant website",
        phrases: "stock quotes, phone book, zip codes, area code #, how to start a * business, small business loans, \
            phone directory @, reverse phone lookup, * stock price, business cards, & and sons @, \
            @ chamber of commerce, wholesale * suppliers, gold price",
    },
    TopicWords {
        name: "astrology",
        words: "horoscope zodiac tarot psychic moon dream sign star ghost witch numerology spell planet angel \
            palmistry spirit ritual crystal magic wicca chakra fairy candle compatibility birthday superstition \
            eclipse demon vampire prophecy reincarnation werewolf omen charm meditation unicorn amulet rune aura \
            telescope comet constellation mermaid dragon haunting karma fortune incense potion oracle destiny \
            leprechaun monster astrologer pentagram goblin",
        phrases: "daily horoscope, free horoscopes, free tarot reading, dream about *, meaning of *, love spells, \
            haunted houses in @, zodiac sign compatibility, * and * compatibility, ghost pictures, psychic @, \
            what does * mean in a dream, full moon # calendar, how to cast a * spell",
    },
    TopicWords {
        name: "holiday",
        words: "christmas party halloween birthday costume easter card gift decoration candy parade pumpkin \
            ornament firework basket balloon invitation turkey wreath bunny clown picnic mask valentine calendar \
            quote poem joke graduation stocking carol reindeer elf cake barbecue snowman light lantern carnival \
            centerpiece egg flag reunion prize craft circus toy shamrock hayride ribbon game luau witch greeting \
            tree anniversary confetti pinata magician",
        phrases: "easter bunny pictures, mothers day poems, free greeting cards, birthday party ideas, \
            * party supplies, memorial day parade @, homemade * costume, fathers day gifts, graduation party *, \
            printable * cards, cinco de mayo *, funny * jokes, # birthday cake ideas, earth day activities",
    },
    TopicWords {
        name: "jewelry",
        words: "ring diamond gold necklace bracelet silver pearl watch earring bead pendant gemstone ruby charm \
            emerald chain sapphire locket clasp turquoise opal brooch antique platinum jeweler amethyst jade topaz \
            crown cameo anklet garnet quartz amber box coral tiara clock appraisal carat pawnshop crystal stone \
            cuff crucifix pin wire coin glass china figurine porcelain vase plate doll auction collectible lamp \
            teapot statue engraving",
        phrases: "engagement rings, diamond rings, # carat diamond, * necklace for sale, sterling silver *, \
            antique * value, jewelry store @, how to clean *, mens * watch, % watch, gold * bracelet, \
            how to make * jewelry, birthstone for *, & jewelers",
    },
    TopicWords {
        name: "fitness",
        words: "exercise gym yoga muscle workout treadmill bodybuilding running pilates swimming stretch abdomen \
            weight bicycle dumbbell trainer marathon karate steroid protein creatine martial aerobics posture bench \
            rope dance massage boxing jogging athlete pool sauna sneaker tendon chest triathlon shoulder knee hip \
            judo biceps cramp pedal hiking backpack trail climbing tent elliptical ballet rowing supplement heart \
            endurance mat coach sweat warmup",
        phrases: "exercises for *, how to get * fast, yoga classes @, % treadmill, marathon training, \
            * exercises for women, gym in @, hiking trails @, used * equipment, martial arts @, free workout plans, \
            @ marathon #, * injury treatment, how to build *",
    },
    TopicWords {
        name: "books",
        words: "book author novel poem quote story poetry library biography chapter summary mystery writer magazine \
            dictionary encyclopedia character play fable romance publisher comic poet plot theme essay fairy tale \
            legend bookstore sonnet diary proverb paperback metaphor translation myth editor manuscript tragedy \
            bestseller haiku fiction ghost memoir atlas thesaurus riddle newspaper fantasy epic journal folklore \
            rhyme illustration satire anthology",
        phrases: "free ebooks, book reviews, funny quotes, famous quotes about *, poems about *, * book summary, \
            @ public library, used books, books by &, summary of the *, quotes about * and *, nursery rhymes, \
            * magazine subscription, & poem about *",
    },
];

/// Patterns that fit every topic, the most popular first.
pub(super) const PATTERNS: &str = "* *, * * *, * in @, @ *, +, ~ *, * @, * ^, * * @, &, & *, @, * * ^, * # *, * * * *, % *, # *, ~ * *, \
    * for *, * and *, *, + ^, how to ! *, the *, * of *, & @, * * in @, * * for *, what is a *, * from @, ~ * in @, ~ * ^, * vs *, * * * ^, \
    @ * ^, * for ~ *, * with ~ *, ! * *, how do you ! a *, where can i ! * *, * * &, & * @, is * ~ for *, * by &, \
    pictures of ~ *, ~ * for sale, ~ ~ * for * in @";

/// Queries that everybody asks, the most popular first.
pub(super) const POPULAR: &str = "weather, maps, free email, dictionary, games, phone book, address book, lyrics, \
    song lyrics, jokes, horoscope, driving directions, airline tickets, lottery, movie times, free music, cars, \
    recipes, hotels, tv listings, ringtones, news, people search, jobs, free games, american flag, real estate, poems, \
    quotes, wallpaper, screensavers, coupons, travel, zip codes, baby names, internet, satellite pictures, \
    currency converter, time zones, translator, world map, calculator, mothers day, easter, tax forms, gas prices, \
    credit report, cheap flights, school, home, sports, music videos, clip art, free coupons, greeting cards, \
    stock quotes, flowers, tattoos, hairstyles, celebrity gossip, soap opera spoilers, prom dresses, memorial day, \
    spring break, daylight savings time, national anthem, periodic table, state capitals, postal rates, phone numbers, \
    area codes, used cars, motorcycles, puppies, furniture, shoes, toys, bible, medical dictionary, symptoms, \
    weight loss, diet, mortgage calculator, home page, chat rooms, dating, crossword puzzles, solitaire, poker, bingo, \
    sudoku, trivia, riddles, facts, president, census, passport, social security, unemployment, lawyers, police, \
    hospitals, colleges";

/// Made-up sites that people go to by name, two words each, the most popular first.
pub(super) const SITES: &str = "mail nest search barn auction meadow chatter pond map wander bank hollow page \
    willow tune sprout friend orchard news harbor book lark game thicket card meadow weather wren shop bramble job \
    heron movie quail travel finch photo fern pet burrow recipe pantry home acorn phone brook blog clover sport \
    raven car pebble channel lantern loan maple ticket fox dating dove school owl health birch video creek toy \
    trellis family sprig coupon grove flight gull parcel pine lottery lark horoscope moth lyric wren answer moss \
    hotel heath notice marsh vote thrush stock stoat insurance bay college cairn gossip gnat credit cove kid \
    kestrel church chime music mink furniture fen poem plover joke jay tax tern diet dale garden glade quilt quarry";

/// General adjectives, the most popular first.
pub(super) const ADJECTIVES: &str = "free cheap new best used old easy small black custom white good homemade large \
    big discount famous red antique local vintage online blue funny kids top green baby natural modern real \
    wholesale early rare popular little pink simple healthy beautiful portable gold american long indoor outdoor \
    wooden digital ancient high low electric christian spanish italian mexican french chinese german irish japanese \
    african southern western tall short fast cute wild wireless plastic strange common brown purple yellow orange \
    square round giant heavy deep";

/// What people want to do, the most popular first.
pub(super) const VERBS: &str = "make find buy clean build fix draw learn write use cook grow sell play choose remove paint start stop \
    install repair plan compare teach store wash move read measure hang cut replace sew collect bake polish ship protect count \
    prepare train open borrow identify restore hide";

/// General nouns, the most popular first.
pub(super) const NOUNS: &str = "pictures store prices reviews shop company sale supplies ideas center list magazine \
    history information club show parts photos video design rental association online network guide catalog \
    equipment service address number price plans facts group kit society manual cost warehouse index forum factory \
    school program problem help advice book news tips class events directory archive laws rules award museum \
    foundation";

/// Words of the dictionary that few people ask for, in no order.
pub(super) const RARE: &str = "abacus abbey acorn adobe agate albatross alcove algae almanac aloe alpaca amulet anchovy anteater anvil apricot arbor \
    archery armadillo artichoke asteroid avocado awning axle badger bagel bagpipe balcony balsam banister barley barnacle \
    barometer barracuda bassoon bayou beeswax beetle belfry bellows bison blimp blueprint bobcat bobsled bonnet boomerang \
    borax brigade bronze buckle buckwheat buffalo bugle bunker burlap butterfly buttress cactus calico caliper camshaft \
    candelabra canoe caramel caravan cardamom caribou carousel cartographer cashew cassette catalpa catapult catfish \
    caviar cedar celery centipede chalet chameleon chandelier chariot cheetah chestnut chickadee chimney chinchilla \
    chipmunk chisel chowder cicada cinder clarinet clavicle clover cobalt cobbler cockatoo coconut codex comet compass \
    concrete condor copper cormorant cornice cowbell coyote cranberry crater crayfish cricket crocodile crossbow crowbar \
    cuckoo cutlass cypress daffodil damask dandelion decanter derrick dinghy divan dolphin doorbell dormouse dragonfly \
    drawbridge dredge dulcimer easel eclipse eggplant eiderdown elderberry elk ember enamel eucalyptus falcon farthing \
    fathom felt ferret fescue fig filament fjord flagpole flamingo flint fluorite flywheel foghorn forge fountain foxglove \
    freesia fresco frigate funnel galaxy galleon gangway gargoyle garland gasket gazebo gazelle gecko geyser ginger \
    giraffe glacier gondola gooseberry gorge granite grapefruit grasshopper gravel grouse guava guillotine gyroscope \
    haddock halibut hammock hamster harpsichord hatchet hawthorn hazel hedgehog helium hemlock heron hickory hinge \
    hippopotamus holly hornet hourglass hovercraft hummingbird hurricane hyacinth iceberg iguana indigo ingot iris \
    ironwood ivory jackal jaguar jasmine javelin jellyfish jonquil juniper kangaroo kayak kelp kerosene kestrel kettle \
    kiln kimono kiwi knapsack lacquer ladle lagoon lantern larch lark latch lathe lava leech lemur lentil leopard levee \
    lichen lighthouse lilac limestone linen lizard llama locust loom lotus lynx macaw mackerel magnet magpie mahogany \
    mallard mallet manatee mandolin mango mantel marsh marzipan meadow medallion melon meteor midge milkweed mimosa \
    minaret minnow mistletoe moccasin mohair mongoose monsoon moose mosaic moth mulberry mussel mustard myrtle narwhal \
    nectar nettle nightingale nutmeg oak oasis oatmeal oboe obsidian ocelot octagon octopus okra oleander olive onyx \
    opossum oregano oriole osprey ostrich otter oyster paddle pagoda palette pansy panther papaya paprika papyrus parakeet \
    parsley parsnip partridge pavilion peacock pelican pendulum penguin pergola periscope pheasant pickle pigeon pinecone \
    pistachio plaster platypus plum plywood pomegranate poplar poppy porcupine possum prism puffin pulley pumice python \
    quail quartz quill quilt quince quiver rabbit raccoon radish raft raisin rapids raspberry rattlesnake raven ravine \
    reef reindeer resin rhubarb rickshaw rivet robin rooster rosemary rudder saffron salamander sandpiper sandstone \
    sardine satchel scallop scarecrow scorpion seahorse seaweed sequoia sesame shale shingle shrew shutter sickle silo \
    skunk slate sleigh sloth snail snapdragon snowflake sparrow spatula spruce squid squirrel stallion starfish starling \
    stencil stork stucco sturgeon sundial swallow swan sycamore syringe tadpole tamarind tambourine tangerine tapestry \
    tapir tarantula tartan teak telescope terrapin thatch thimble thistle thyme tiger timber toad topaz tornado tortoise \
    toucan trapeze trellis trout trowel truffle tuba tundra tungsten turbine turnip turret tusk twine urn vanilla velvet \
    verandah vineyard violet vulture wagon walnut walrus warbler wasp waterlily weasel weathervane whale wheat whirlpool \
    wicker willow windmill wolf wombat woodpecker wren yacht yam yarrow yeast yew yogurt yucca zebra zinc zinnia zither \
    zucchini";

/// Words with letters beyond ASCII, as people type them in.
pub(super) const FOREIGN: &str = "café résumé jalapeño piñata señorita crème brûlée münster über français español \
    niño fiancée décor naïve purée papá façade año cliché doppelgänger éclair mañana soufflé quinceañera köln \
    champiñón";

/// Given names borne by too many to mean anyone.
pub(super) const GIVEN_NAMES: &str = "mary john james linda robert susan david karen michael lisa william nancy \
    thomas donna mark carol daniel sarah paul laura kevin amy brian anna jason ruth frank maria scott helen eric \
    julie peter diane carl alice henry rose walter grace arthur emma george ellen louis clara victor jean samuel \
    martha oscar paula";

/// States, which give the made-up towns a place on the map.
pub(super) const STATES: &str = "california, texas, florida, new york, ohio, pennsylvania, illinois, michigan, \
    georgia, north carolina, new jersey, virginia, tennessee, indiana, missouri, wisconsin, alabama, arizona, \
    kentucky, minnesota, oregon, iowa, maryland, colorado, oklahoma, louisiana, kansas, nevada, maine, idaho, utah, \
    montana, arkansas, nebraska, vermont, delaware";

/// Beginnings of made-up names, of persons and towns alike.
pub(super) const ONSETS: &str = "b br c ch cl cr d dr f fl fr g gl gr h j k kl kr l m n p pr r s sch sh sl st \
    str t th tr v w y z";

/// Middles of made-up names.
pub(super) const RHYMES: &str = "a al an ar as aw e el em en er est ey i ib il im in ing ir isk o od ol om on or \
    ost ov ow u ub ul um un ur ust";

/// Endings of made-up family names.
pub(super) const NAME_ENDINGS: &str = "ber bert bin da dell den der din feld ga gan gert gin go gren ham ka ker kin \
    kins ko kowitz la land lett ley lin lo man mann mer mey mond nell ner ney nski quist ra ri ro sen shaw ski son \
    stad stein strom ta tano ter ti tini tock ton velli vick wald well wick witz worth yama zak zano";

/// Endings of made-up towns.
pub(super) const TOWN_ENDINGS: &str = "bury burg borough dale field ford ham haven hurst land ley mont more mouth \
    port ridge shire side stead ton vale view ville water wick wood worth";

/// Second halves of made-up host names that fit every topic.
pub(super) const HOST_ENDINGS: &str = "barn bazaar beacon brook cellar central circle corner cove depot direct \
    emporium express finder forum garden guide harbor haven hub junction lane ledger library link loft meadow nest \
    net office online orchard outpost page patch pioneer place planet porch post shack shed source spot square \
    station trail vault village web wharf world yard zone";

/// Endings of made-up makes, products and shops.
pub(super) const MAKE_ENDINGS: &str = "ade al ance ane ara aria ax co com corp dex dyne ella ent era ette eum ex ia ica ico \
    ida ine io ion is ista ite ium ix max mex net nova o ol on ora os oza pro que rex ron ster tech tek tron ula us va vex \
    via vue x za zon";

/// Middles of words that are not English, or not quite.
pub(super) const FOREIGN_RHYMES: &str = "ai ao ard au ea eau ei eni eo ia iano ier ija illo ina io ita ki mo mura nha oa oi \
    oko ola oro ou oux schka shi tzu ua uche ui uka ura ush yo zhi";

/// Kinds of streets.
pub(super) const STREETS: &str = "street avenue lane road drive court place terrace";

/// What small shops, schools and clubs are called after their name.
pub(super) const PLACES: &str = "inn diner cafe salon bakery motors realty dental clinic academy elementary middle chapel \
    pharmacy lodge tavern grill nursery stables kennels marina hardware plumbing electric towing insurance optical gallery";

/// The rows of a keyboard, for slips to the key beside.
pub(super) const KEYBOARD: [&str; 3] = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];

/// How URLs end, the most popular first.
pub(super) const DOMAINS: &[&str] =
    &[".com", ".com", ".com", ".com", ".com", ".com", ".org", ".net", ".org", ".co.uk", ".us", ".info", ".tv"];
